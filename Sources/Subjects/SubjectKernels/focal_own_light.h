// SPDX-License-Identifier: Apache-2.0

#ifndef FOCAL_OWN_LIGHT_H
#define FOCAL_OWN_LIGHT_H

#include <ShaderTypes.h>
#include <stdint.h>

/// The front's light where it was changed from `smooth` to what explains a pixel, `behind` of whose light is the back's.
/// Where that is nearly all, or more than all, the rest is the back's error and says nothing of the front's colour: a dark
/// blue sleeve before a bright wall would have what the wall lacks, a blue without red and green. What is believed then is
/// how light the front is, in its smooth colour. All components count together: of a blue tube before brown rocks no red is
/// left, and its blue is no error.
static inline __attribute__((always_inline)) void ownLight(const float smooth[3],
                                                           const float pixel[3],
                                                           const float behind[3], float own[3]) {
  float light = 0, was = 0, shown = 0, hidden = 0;
  for (int32_t c = 0; c < 3; c++) {
    own[c] = own[c] > 0 ? own[c] : 0;
    light += own[c];
    was += smooth[c];
    shown += pixel[c];
    hidden += behind[c];
  }
  // From half of a pixel's light on.
  const float over = 2 * hidden - shown;
  if (!(over > 0) || !(was > 1e-9f)) return;
  const float doubt = over < shown ? over / shown : 1;
  const float scale = light / was;
  for (int32_t c = 0; c < 3; c++) own[c] += doubt * (scale * smooth[c] - own[c]);
}

#endif
