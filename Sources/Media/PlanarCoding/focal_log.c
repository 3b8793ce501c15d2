// SPDX-License-Identifier: Apache-2.0

#include "focal_log.h"

#include <ShaderTypes.h>

/// Codes whose light is so near to the foot that floats would not tell them apart are on a line.
static const float line_of_root = 0.01f;

/// Light above the foot for a code, on that line.
static inline float slope_of_root(const struct FocalLogCurve *c) {
  const float unit = focal_reciprocal(c->lift);
  return line_of_root * line_of_root * unit * unit * unit;
}

static inline __attribute__((always_inline)) float decoded(const struct FocalLogCurve *c,
                                                           float stored) {
  float code = stored * c->scale + c->shift;
  float sign = 1;
  if (c->isMirrored && code < c->centre) {
    code = 2 * c->centre - code;
    sign = -1;
  }
  if (code >= c->codeAtCut) {
    const float power = focal_exp2((code - c->base) * focal_reciprocal(c->slope));
    return sign * (power - c->offset) * focal_reciprocal(c->gain);
  }
  if (c->form == FOCAL_LOG_CUBE_ROOT) {
    const float root = code * focal_reciprocal(c->lift);
    const int is_near = code <= line_of_root && code >= -line_of_root;
    return (is_near ? code * slope_of_root(c) : root * root * root) + c->foot;
  }
  if (c->form == FOCAL_LOG_SQUARE) {
    // Codes below the foot mean no light; they stay apart, so that they come back.
    return code <= 0 ? c->foot + code : focal_sqrt(code * focal_reciprocal(c->lift)) + c->foot;
  }
  return sign * (code - c->foot) * focal_reciprocal(c->lift);
}

static inline __attribute__((always_inline)) float encoded(const struct FocalLogCurve *c,
                                                           float light) {
  const int mirrors = c->isMirrored && light < 0;
  if (mirrors) light = -light;
  float code;
  if (light >= c->cut) {
    code = c->slope * focal_log2(focal_max(c->gain * light + c->offset, 1e-12f)) + c->base;
  } else if (c->form == FOCAL_LOG_CUBE_ROOT) {
    const float above = light - c->foot;
    const float size = above < 0 ? -above : above;
    const float slope = slope_of_root(c);
    const float root = c->lift * focal_exp2(focal_log2(focal_max(size, 1e-30f)) * 0.33333334f);
    code = size <= slope * line_of_root ? above * focal_reciprocal(slope) : above < 0 ? -root : root;
  } else if (c->form == FOCAL_LOG_SQUARE) {
    const float above = light - c->foot;
    code = above < 0 ? above : c->lift * above * above;
  } else {
    code = c->lift * light + c->foot;
  }
  if (mirrors) code = 2 * c->centre - code;
  return (code - c->shift) * focal_reciprocal(c->scale);
}

FOCAL_CLONES void focal_log_decode(const struct FocalLogCurve *curve, float *pixels,
                                   size_t count) {
  const struct FocalLogCurve c = *curve;
  for (size_t i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) pixels[4 * i + k] = decoded(&c, pixels[4 * i + k]);
  }
}

FOCAL_CLONES void focal_log_encode(const struct FocalLogCurve *curve, float *pixels,
                                   size_t count) {
  const struct FocalLogCurve c = *curve;
  for (size_t i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) pixels[4 * i + k] = encoded(&c, pixels[4 * i + k]);
  }
}
