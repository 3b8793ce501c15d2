// SPDX-License-Identifier: Apache-2.0
//
// The evidence for the side of an edge to which a pixel belongs: the colours around it that the map gives to
// either side, and the map itself. A decision is a log-odds: positive = the pixel belongs to the front.
//
// The idea of snapping to one of two local disparities instead of averaging is that of bimodal
// upsampling. How likely a colour is on a side is told by the neighbours that are surely on it (a kernel
// density), so that a side may have any colours: leaves before a sky, hair before both.
#pragma once

#include "focal_math.h"

// The constants by which the kernels of the refinement decide. A constant expression in them is one that
// gives the same float in single and in double precision, rounded once: a compiler of shaders may fold it in
// either. A quotient of small whole numbers does, a longer expression need not.
//
// Differences in dB, see focal_blur.h, with maps of 320x180; steady is the film of `focal bench-steady`.

/// Codes 0...255 of the guide stand for 0...2 times display white, by their square root: at most
/// 255 / sqrt(2) = 180.3.
#define FOCAL_GUIDE_SCALE 180.0f
/// Neighbours lie this many to a cell each way, FOCAL_COLOUR_REACH cells far at the most. Two to a cell: traced -0.11.
/// 2.5 cells: no difference.
#define FOCAL_COLOUR_TAPS 3
#define FOCAL_COLOUR_REACH 2
/// The most neighbours each way.
#define FOCAL_MOST_NEIGHBOURS 6
/// Neighbours of a pixel, itself included, at the most.
#define FOCAL_MOST_TAPS ((2 * FOCAL_MOST_NEIGHBOURS + 1) * (2 * FOCAL_MOST_NEIGHBOURS + 1))
/// A neighbour counts for a side where the map gives it wholly to it: from a share of 0.7 on, in full
/// 1 / FOCAL_PER_PURITY above. In shares times FOCAL_PER_PURITY, for the front and for the back. From 0.6 on: traced
/// -0.10; from 0.8 on: traced +0.01, steady -0.2.
#define FOCAL_PER_PURITY 4.0f
#define FOCAL_RISE_FRONT 2.8f
#define FOCAL_RISE_BACK 1.2f
/// A neighbour is of another surface if the map has it nearer than the front or farther than the back by more than half
/// the edge: if it rises this much from the middle.
#define FOCAL_RISE_MIDDLE 2.0f
#define FOCAL_RISE_MOST 4.0f
/// Neighbours further away (in taps, squared) count less by 1/(1 + FALLOFF r²).
#define FOCAL_COLOUR_FALLOFF 0.1f
/// Difference of colour (squared guide codes) at which a neighbour says nothing; below, it counts by
/// (1 - difference / FOCAL_UNLIKE)^4. Half and twice: no difference.
#define FOCAL_UNLIKE 1152.0f
/// Weight of neighbours that a side needs for its colours to count.
#define FOCAL_LEAST_KNOWN 0.3f
/// How likely any colour is on either side: what is like neither leaves the map to decide. Colours say at most ln(1.01 /
/// 0.01) = 4.6, the map 0.7 ln(0.99 / 0.01) = 3.2. Ten times: traced -0.03.
#define FOCAL_ANY_COLOUR 0.01f
/// Weight of the map's log-odds beside the colours'. 0.5: traced +0.04.
#define FOCAL_MAP_WEIGHT 0.7f
/// At large steps a pixel whose colour is strange to both sides rather belongs to the front: maps draw near things too
/// small more often than too large, their outlines have colours of their own, and a sharp outline around a thing out of
/// focus shows more than a soft rim of what is behind it. In log-odds, in full
/// 1 / FOCAL_PER_STEP beyond a step of FOCAL_LARGE_STEP; steps as multiples of the least one that counts as an edge. At
/// small steps it follows the noise of maps: from 10 on, steady -1.2.
#define FOCAL_FRONT_FIRST 1.0f
#define FOCAL_LARGE_STEP 14.0f
#define FOCAL_PER_STEP 0.125f
/// Strange is a colour that has less than 1 / FOCAL_PER_STRANGE of both sides' neighbours. For all colours: windows beside
/// a head go to it.
#define FOCAL_PER_STRANGE 10.0f
/// Before a far surface in focus a rim of a blurred near thing that a map gives to that surface stays sharp. A ring around
/// the pixel reaches beyond the rim, whose own pixels are all that nearer neighbours know of the far side: so many places,
/// so many cells away, of which the far surface has to show in so many.
#define FOCAL_RING_PLACES 12
#define FOCAL_RING_REACH 3
#define FOCAL_RING_LEAST 3
/// A place lies on the far surface up to a share of 0.15. In shares times FOCAL_PER_PURITY.
#define FOCAL_RING_RISE 0.6f
/// From which squared difference of colour on, as a multiple of the ring's variance and this one, a pixel is not of the far
/// surface, in full 1 / FOCAL_RING_PER_UNLIKE above; and the log-odds that this is worth.
#define FOCAL_RING_SCATTER 300.0f
#define FOCAL_RING_UNLIKE 1.0f
#define FOCAL_RING_PER_UNLIKE 0.5f
#define FOCAL_RING_WEIGHT 8.0f
/// Radii, in pixels, of near things that count as blurred, in full 1 / FOCAL_PER_RIM_BLURRED above, and of far surfaces
/// that count as in focus, not at all 1 / FOCAL_PER_RIM_FOCUS above. Near things from 4 to 8 pixels: phone -0.03.
#define FOCAL_RIM_BLURRED 12.0f
#define FOCAL_PER_RIM_BLURRED 0.0625f
#define FOCAL_RIM_FOCUS 1.0f
#define FOCAL_PER_RIM_FOCUS 0.5f
/// How sure the map may be.
#define FOCAL_SHARE_LEAST 0.01f
#define FOCAL_LN2 0.69314718f
/// Decision of pixels around an edge that lie in no edge cell: none, the map decides. At half the picture's size a pixel may
/// lie in another cell than a picture's pixel under it.
#define FOCAL_UNDECIDED 1e30f
/// Within this share of a side the map is that side's own value, slope included. None and twice: no
/// difference. Five times: traced -0.11, sample -0.06.
#define FOCAL_WHOLE 0.02f

/// Whether a pixel belongs to the front, by its decision or, without one, by the map's share.
FOCAL_FUNCTION bool focal_is_in_front(float decision, float share) {
  return decision < FOCAL_UNDECIDED ? decision > 0.0f : share > 0.5f;
}

/// How many steps away the neighbour `k` along an axis is: one after the other up to `dense`, then every second. Blurred
/// edges need neighbours far away, thin things those close by.
FOCAL_FUNCTION int32_t focal_tap(int32_t k, int32_t dense) {
  const int32_t number = k < 0 ? -k : k;
  const int32_t steps = number <= dense ? number : 2 * number - dense;
  return k < 0 ? -steps : steps;
}

/// Weights of a pixel's neighbours on each side, of those that have its colour and of all.
FOCAL_STRUCT(FocalSideWeights) { float front, allFront, back, allBack; };

/// The channels of a code of the guide.
FOCAL_STRUCT(FocalGuideColour) { int32_t red, green, blue; };
FOCAL_FUNCTION FocalGuideColour focal_guide_colour(uint32_t code) {
  const FocalGuideColour colour = {FOCAL_INT(code & 255u), FOCAL_INT((code >> 8) & 255u),
                                   FOCAL_INT((code >> 16) & 255u)};
  return colour;
}

/// The weights with one more neighbour.
///
/// `rise` is FOCAL_PER_PURITY times where the map has it between the pixel's farther side, 0, and its nearer one, 1.
FOCAL_FUNCTION FocalSideWeights focal_with_neighbour(FocalSideWeights sums, float weight,
                                                     FocalGuideColour own, uint32_t code,
                                                     float rise) {
  const FocalGuideColour there = focal_guide_colour(code);
  const int32_t dr = there.red - own.red, dg = there.green - own.green, db = there.blue - own.blue;
  const float difference = FOCAL_FLOAT(dr * dr + dg * dg + db * db);
  const float near = focal_max(1.0f - difference * (1.0f / FOCAL_UNLIKE), 0.0f);
  const float like = near * near * (near * near);
  const bool same = focal_abs(rise - FOCAL_RISE_MIDDLE) < FOCAL_RISE_MOST;
  const float counted = same ? weight : 0.0f;
  const float front = counted * focal_unit(rise - FOCAL_RISE_FRONT);
  const float back = counted * focal_unit(FOCAL_RISE_BACK - rise);
  const FocalSideWeights all = {sums.front + like * front, sums.allFront + front,
                                sums.back + like * back, sums.allBack + back};
  return all;
}

/// The far surface in focus on a ring around a pixel: how many of its places lie on it, and the sums of their colours and
/// of the squares of these.
FOCAL_STRUCT(FocalRing) { int32_t count, red, green, blue, squares; };

/// How far along an axis place `k` of a ring of this radius lies: a quarter of the places further on for the other axis.
FOCAL_FUNCTION int32_t focal_ring_offset(int32_t k, int32_t radius) {
  const int32_t turn = FOCAL_RING_PLACES / 2;
  const int32_t up = k % turn, rest = up < turn - up ? up : turn - up;
  // Sixteenths of the radius: the sines of 0, 30, 60 and 90 degrees.
  const int32_t part = rest == 0 ? 0 : rest == 1 ? 8 : rest == 2 ? 14 : 16;
  const int32_t offset = (part * radius + 8) >> 4;
  return k % FOCAL_RING_PLACES < turn ? offset : -offset;
}

/// The ring with one more place.
FOCAL_FUNCTION FocalRing focal_with_place(FocalRing ring, uint32_t code, float rise) {
  const FocalGuideColour there = focal_guide_colour(code);
  const bool same = focal_abs(rise - FOCAL_RISE_MIDDLE) < FOCAL_RISE_MOST;
  const int32_t counts = same && rise < FOCAL_RING_RISE ? 1 : 0;
  const int32_t square =
      there.red * there.red + there.green * there.green + there.blue * there.blue;
  const FocalRing all = {ring.count + counts, ring.red + counts * there.red,
                         ring.green + counts * there.green, ring.blue + counts * there.blue,
                         ring.squares + counts * square};
  return all;
}

/// How much less a pixel belongs to the far surface, as its colour tells beside those of the ring.
FOCAL_FUNCTION float focal_beyond(FocalRing ring, FocalGuideColour own) {
  const float each = focal_reciprocal(focal_max(FOCAL_FLOAT(ring.count), 1.0f));
  const float red = FOCAL_FLOAT(ring.red) * each, green = FOCAL_FLOAT(ring.green) * each,
              blue = FOCAL_FLOAT(ring.blue) * each;
  const float squares = FOCAL_FLOAT(ring.squares) * each;
  const float scatter = squares - (red * red + green * green + blue * blue);
  const float dr = FOCAL_FLOAT(own.red) - red, dg = FOCAL_FLOAT(own.green) - green,
              db = FOCAL_FLOAT(own.blue) - blue;
  const float unlike = (dr * dr + dg * dg + db * db) *
                       focal_reciprocal(focal_max(scatter, 0.0f) + FOCAL_RING_SCATTER);
  return ring.count < FOCAL_RING_LEAST
             ? 0.0f
             : FOCAL_RING_WEIGHT * focal_unit((unlike - FOCAL_RING_UNLIKE) * FOCAL_RING_PER_UNLIKE);
}

/// How much a sharp rim of a near thing would show: fully where the far surface is in focus and the near one is
/// not.
FOCAL_FUNCTION float focal_rim_shows(float nearRadius, float farRadius) {
  const float blurred = focal_unit((nearRadius - FOCAL_RIM_BLURRED) * FOCAL_PER_RIM_BLURRED);
  const float away = focal_unit((focal_abs(farRadius) - FOCAL_RIM_FOCUS) * FOCAL_PER_RIM_FOCUS);
  return blurred * (1.0f - away);
}

/// The decision for a pixel to which the map gives a share of 0, back, to 1, front, at an edge of so many of the least
/// steps.
FOCAL_FUNCTION float focal_decision(FocalSideWeights sums, float share, float steps) {
  const bool known = sums.allFront > FOCAL_LEAST_KNOWN && sums.allBack > FOCAL_LEAST_KNOWN;
  const float front = sums.front * focal_reciprocal(focal_max(sums.allFront, FOCAL_LEAST_KNOWN));
  const float back = sums.back * focal_reciprocal(focal_max(sums.allBack, FOCAL_LEAST_KNOWN));
  const float ofColours =
      FOCAL_LN2 * (focal_log2(front + FOCAL_ANY_COLOUR) - focal_log2(back + FOCAL_ANY_COLOUR));
  const float colours = known ? ofColours : 0.0f;
  const float map = focal_clamp(share, FOCAL_SHARE_LEAST, 1.0f - FOCAL_SHARE_LEAST);
  const float ofMap = FOCAL_LN2 * (focal_log2(map) - focal_log2(1.0f - map));
  const float large = focal_unit((steps - FOCAL_LARGE_STEP) * FOCAL_PER_STEP);
  const float strange = focal_unit(1.0f - (front + back) * FOCAL_PER_STRANGE);
  return colours + FOCAL_MAP_WEIGHT * ofMap + FOCAL_FRONT_FIRST * (large * strange);
}
