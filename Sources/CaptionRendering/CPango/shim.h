// SPDX-License-Identifier: Apache-2.0
//
// Pango, Cairo and Fontconfig for Swift: text of every script, drawn.

#ifndef FOCAL_CPANGO_SHIM_H
#define FOCAL_CPANGO_SHIM_H

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-fontmap.h>

/// A font map of FreeType's fonts that knows nothing but a configuration's; NULL where Cairo has none.
static inline PangoFontMap *focal_font_map_new(FcConfig *configuration) {
  PangoFontMap *map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
  if (map) pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(map), configuration);
  return map;
}

#endif
