// SPDX-License-Identifier: Apache-2.0
//
// The surface that a cell of the background pyramid hides, from the coarser level. What includes it says where that
// level's surfaces are.
//
// A cell takes, from each of its four parents, the parent's surface if that lies farther than its own,
// else what the parent itself hides. So a surface is continued under a nearer one from the closest
// place where it is seen, smoothly, at constant cost a pixel.
//
// A surface many steps nearer than the farthest of them is a separate one: the mean of a hill behind the focus and a
// shoulder in front of it would be in focus, a speck beside the shoulder. Fewer steps leave too little of the picture
// to go on with.
#pragma once

/// The level behind a cell's own.
FOCAL_STRUCT(CoarseLevel) {
  int32_t width, height;
  int32_t rowShift;  // the fine level's row is twice this one's plus it
  bool isLast;       // it hides nothing
  float edge;
  // pyramidHidden: where its cell (0, 0) would lie in the buffer of levels, and in the workgroup's memory, whose rows
  // have the pitch.
  int32_t seen, hidden, hiddenPitch;
};

/// The radius of the surface that is seen in a cell of the coarser level, or that it hides.
FOCAL_FUNCTION float parentRadius(FOCAL_TAKES CoarseLevel level, int32_t x, int32_t y,
                                  bool isHidden);
/// That surface's colour; the fourth is not read.
FOCAL_FUNCTION float4 parentColour(FOCAL_TAKES CoarseLevel level, int32_t x, int32_t y,
                                   bool isHidden);

/// The surface hidden at cell (x, y), whose own has the radius `nearer`: colour and radius,
/// FOCAL_NO_SURFACE if there is none.
FOCAL_FUNCTION float4 hiddenBehind(FOCAL_TAKES CoarseLevel level, int32_t x, int32_t y,
                                   float nearer) {
  const float limit = nearer - focal_edgeStep(level.edge, nearer, nearer);
  const int32_t row = y - level.rowShift;
  const int32_t x0 = (x - 1) >> 1, y0 = (row - 1) >> 1;
  const float right = (x & 1) != 0 ? 0.25f : 0.75f, below = (row & 1) != 0 ? 0.25f : 0.75f;
  float far[4], share[4];
  bool isHidden[4];
  float low = 1.0e30f;
  for (int32_t k = 0; k < 4; k++) {
    const int32_t i = k & 1, j = k >> 1;
    const int32_t parentX = focal_clamp_int(x0 + i, 0, level.width - 1);
    const int32_t parentY = focal_clamp_int(y0 + j, 0, level.height - 1);
    share[k] = 0.0f;
    far[k] = parentRadius(FOCAL_PASSES level, parentX, parentY, false);
    isHidden[k] = !(far[k] < limit);
    if (isHidden[k]) {
      if (level.isLast) continue;
      far[k] = parentRadius(FOCAL_PASSES level, parentX, parentY, true);
      if (!(far[k] > FOCAL_NO_SURFACE && far[k] < limit)) continue;
    }
    share[k] = (i != 0 ? right : 1.0f - right) * (j != 0 ? below : 1.0f - below);
    low = focal_min(low, far[k]);
  }
  const float most = low + FOCAL_HIDDEN_STEPS * focal_edgeStep(level.edge, low, low);
  float4 sum = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float weight = 0.0f;
  for (int32_t k = 0; k < 4; k++) {
    if (!(share[k] > 0.0f) || far[k] > most) continue;
    const float4 colour = parentColour(
        FOCAL_PASSES level, focal_clamp_int(x0 + (k & 1), 0, level.width - 1),
        focal_clamp_int(y0 + (k >> 1), 0, level.height - 1), isHidden[k]);
    weight += share[k];
    sum = sum + share[k] * FOCAL_FLOAT4(colour.x, colour.y, colour.z, far[k]);
  }
  if (!(weight > 0.0f)) return FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE);
  return sum * focal_reciprocal(weight);
}
