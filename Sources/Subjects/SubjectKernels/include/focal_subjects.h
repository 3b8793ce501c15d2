// SPDX-License-Identifier: Apache-2.0
//
// Subjects of a picture, found and cut out.
//
// Least cuts: Y. Boykov and V. Kolmogorov, An Experimental Comparison of Min-Cut/Max-Flow Algorithms for Energy
// Minimization in Vision (2004). Colour models and cuts in turn: C. Rother, V. Kolmogorov, A. Blake, GrabCut (2004).
// Trees of parts of a map: P. Salembier, A. Oliveras, L. Garrido, Antiextensive Connected Operators (1998).
// Regions: R. Achanta et al., SLIC Superpixels Compared to State-of-the-Art Superpixel Methods (2012); their cuts:
// E. A. Dinic, Algorithm for Solution of a Problem of Maximum Flow in Networks (1970). Mattes: A. Levin, D. Lischinski,
// Y. Weiss, A Closed Form Solution to Natural Image Matting (2006). Colours of the foreground: T. Germer et al., Fast
// Multi-Level Foreground Estimation (2020).
//
// Pictures are three floats a pixel, maps one, in rows without padding. Functions return 1 if memory is refused.

#ifndef FOCAL_SUBJECTS_H
#define FOCAL_SUBJECTS_H

#include <stdint.h>

/// The cheapest division of a picture into foreground (1) and background (0). `cost` is how much more it costs to call
/// a pixel background than foreground; neighbours of like colour cost up to `smoothness` if they are divided. `fixed` is 1
/// for pixels that are foreground, 2 for those that are not, 0 for the others.
int32_t focal_cut(const float *codes, const float *cost, const uint8_t *fixed, int32_t width,
                  int32_t height, float smoothness, uint8_t *labels);

/// The cost of each pixel that is not fixed, from the colours of both sides: by histograms of the labelled pixels.
/// `weights` says how much each pixel counts; NULL for all alike.
int32_t focal_subject_colours(const float *codes, const uint8_t *labels, const float *weights,
                              const uint8_t *fixed, int32_t width, int32_t height, float *cost);

/// The cost of colours nearby, added with a weight of 0 to 1: by mean and spread of both sides' pixels in cells of a
/// side. Where one side is not nearby, costs stay.
int32_t focal_subject_nearby(const float *codes, const uint8_t *labels, const uint8_t *fixed,
                             int32_t width, int32_t height, int32_t side, float weight,
                             float *cost);

/// Connected parts of a map of disparity (0 to 1) that stand out from what is around them: labels from 1 on, 0 elsewhere.
/// `least` is the contrast of an outline, `leastArea` the share of the picture, `most` how many there are at most.
int32_t focal_subject_layers(const float *map, int32_t width, int32_t height, float least,
                             float leastArea, int32_t most, uint8_t *labels, float *scores,
                             int32_t *found);

/// CIELAB (D65) of sRGB codes, three floats a pixel: lightness 0 to 100, and two colour differences in the same unit.
void focal_lab(const float *codes, int32_t count, float *lab);

/// Divides a picture into connected regions of like colour, `side` pixels wide about, by CIELAB: labels from 0 to `found` - 1.
int32_t focal_regions(const float *lab, int32_t width, int32_t height, float side, int32_t *labels,
                      int32_t *found);

/// Divisions of regions (nodes) into foreground (1) and background (0), each the cheapest one, of which the part that hangs
/// together with `seed` is kept: `cuts` of them one after the other, `nodes` labels each. `ends` are the two regions at
/// every border, `price` is its price if they are divided, `cost` how much more it costs to call a region background than
/// foreground; from one cut to the next that becomes more by `growth`, which is above 0.
int32_t focal_region_cuts(int32_t nodes, int32_t borders, const int32_t *ends, const float *price,
                          const float *cost, const float *growth, int32_t cuts, int32_t seed,
                          uint8_t *labels);

/// How far each pixel is from the outline of what is labelled, in pixels; below 0 outside. More than 10,666 pixels are so many.
int32_t focal_edge_distance(const uint8_t *labels, int32_t width, int32_t height, float *distance);

/// How deep inside what is labelled each pixel is, in pixels; 0 outside.
int32_t focal_edge_depth(const uint8_t *labels, int32_t width, int32_t height, float *depth);

/// How far outside what is labelled each pixel is, in pixels; 0 inside.
int32_t focal_edge_gap(const uint8_t *labels, int32_t width, int32_t height, float *gap);

/// How far a map (0 to 1) rises above the ground of each row, which a share of the row does not exceed and which comes
/// nearer downwards (V-disparity: R. Labayrade, D. Aubert, J.-P. Tarel, 2002), in parts of the most.
int32_t focal_subject_ground(const float *map, int32_t width, int32_t height, float share,
                             float *prominence);

/// Lets a part with a number grow over what goes on from it in the map, in steps below `step`, where its prominence is
/// `least` or more; within its own columns, since beside it a floor goes on as well. If it became larger than `most` times
/// itself, it stays as it was. Then its columns go on downwards, as legs do, to where the ground is as near.
int32_t focal_subject_grow(const float *map, const float *prominence, int32_t width, int32_t height,
                           float least, float step, float most, uint8_t number, uint8_t *labels);

/// Divides a layer of a map of disparity (0 to 1) into what is one thing each, numbered from the largest on; 0 elsewhere, and for
/// what is beyond 255. Things end at steps of `step` within three pixels, and where a neck is less than `neck` times as wide as
/// both sides of it. What is small and lies behind a step as near as a larger part is that part's: an arm has cut it off.
int32_t focal_subject_divide(const float *map, const uint8_t *layer, int32_t width, int32_t height,
                             float step, float neck, uint8_t *parts, int32_t *found);

/// Labels what is connected with a pixel in the map, in steps below `step` and between two values.
int32_t focal_subject_flood(const float *map, int32_t width, int32_t height, int32_t x, int32_t y,
                            float low, float high, float step, uint8_t *labels);

/// The shares of the outline of what is labelled along which a map falls and rises by `least` within three pixels. Pixels at
/// the sides and the upper border belong to the outline, since what goes on there is not known.
void focal_subject_standing(const float *map, const uint8_t *labels, int32_t width, int32_t height,
                            float least, float *falls, float *rises);

/// Removes parts of labels that hold none of the seeds.
int32_t focal_subject_keep(const uint8_t *seeds, int32_t width, int32_t height, uint8_t *labels);

/// The cost of disparities, added to the others: how near a pixel's is to the means of both sides nearby. What lies between
/// them is the back's if that is likelier by the spread of both. What is at the front's counts most where its `prominence`
/// (from `focal_subject_ground`) says that it is no ground. Labels above 1 count for neither side.
int32_t focal_subject_depths(const float *map, const float *prominence, const uint8_t *labels,
                             const uint8_t *fixed, int32_t width, int32_t height, int32_t reach,
                             float weight, float *cost);

/// How far the colour of each pixel that is not fixed is seen among the examples of the front and of the back nearby, two
/// floats a pixel, 0 to 1: by histograms of cells of a side, and of those around them. Labels above 1 are none's.
int32_t focal_matte_seen(const float *light, const uint8_t *labels, const uint8_t *fixed,
                         int32_t width, int32_t height, int32_t side, float *seen);

/// How much of each pixel that is not fixed is the front's, by the colours nearby, and how far that counts: `least`, and up
/// to 50 times `scale` more where both sides are told apart. `belief` holds what is believed before, which counts like
/// colours whose squared distance is `before` times their spread. Labels above 1 count for neither side. What is `seen` more
/// on one side is usual there, however far from its mean; NULL if that is not known.
int32_t focal_matte_belief(const float *light, const uint8_t *labels, const uint8_t *fixed,
                           const float *seen, int32_t width, int32_t height, int32_t side,
                           float before, float least, float scale, float *belief, float *weight);

/// Alpha of the pixels that are not fixed, begun from what `alpha` holds: within each window of 3 x 3 pixels it is a line of
/// the colours as nearly as it can be, and near `belief` as far as `weight` says. `lines` are the lines' three slopes and
/// offset, by which alpha is known at finer sizes; NULL if they are not asked for.
int32_t focal_matte_solve(const float *light, const uint8_t *fixed, const float *belief,
                          const float *weight, int32_t width, int32_t height, int32_t rounds,
                          float *alpha, float *lines);

/// From how far inside an outline pixels are: 1 and 2 for what is certain, beyond `inner` inside and `outer` outside, 0
/// between; and 1 and 0 for examples of both sides, from `inside` and `outside` on, 2 for neither.
void focal_matte_zones(const float *distance, int32_t count, float inner, float outer, float inside,
                       float outside, uint8_t *fixed, uint8_t *examples);

/// The share of a map (0 to 1) that rises by more than `least` above all that is three pixels wide: strands and wires.
int32_t focal_map_strands(const float *map, int32_t width, int32_t height, float least, float *share);

/// What a map (0 to 1) is certain of around an outline: 1 for the front, 2 for the back, 0 elsewhere. Disparities `apart` from
/// the outline are those of its sides, and say something where they differ by `least`. How wide the map's edge is there is
/// measured. The front is what lies deeper than that, and than `inside`, and has its disparity, with all pixels up to `around`
/// away; the back, of maps that show `strands`, what has nothing of the front's disparity within the edge's width.
int32_t focal_matte_sides(const float *map, const float *distance, int32_t width, int32_t height,
                          float apart, float least, float inside, int32_t around, int32_t strands,
                          uint8_t *sides);

/// Fixes what sides are certain of, and makes it their example. Sides have a size of their own; the others are a part, from `left`
/// and `top` on, of a whole.
void focal_matte_hold(const uint8_t *sides, int32_t sidesWidth, int32_t sidesHeight, int32_t left,
                      int32_t top, int32_t wholeWidth, int32_t wholeHeight, int32_t width,
                      int32_t height, uint8_t *fixed, uint8_t *examples);

/// 1 where alpha is not that of a side (1 for the front, 2 for the back), more than `reach` on that side of an outline. Returns
/// whether it is anywhere.
int32_t focal_matte_differs(const float *alpha, const float *distance, int32_t count, float reach,
                            uint8_t side, uint8_t *result);

/// 1 where a value is above `least`. Returns whether it is anywhere.
int32_t focal_matte_above(const float *values, int32_t count, float least, uint8_t *result);

/// The least rectangle that holds all values above `least` of a picture: its first column and row, and its width and height.
/// Returns 0 if there are none.
int32_t focal_matte_extent(const float *values, int32_t width, int32_t height, float least,
                           int32_t rect[4]);

/// Disparities in parts of a map's range, 0 to 1: from `low` on, times `scale`. What is no number, or beyond `most`, is 0.
void focal_map_shares(const float *disparities, int32_t count, float low, float scale, float most,
                      float *shares);

/// Takes what is farther than `reach` outside an outline for the back.
void focal_matte_drop(const float *gap, int32_t count, float reach, uint8_t *fixed, float *alpha,
                      float *lines);

/// The light of the front and of the back where alpha lies between: both are smooth and explain the picture.
int32_t focal_matte_colours(const float *light, const float *alpha, int32_t width, int32_t height,
                            float *front, float *back);

/// A mask of two sides and what lies between, as it was worked out at a size of its own.
struct FocalMatte {
  /// How many columns and rows the maps have.
  int32_t width, height;
  /// 1 for the front, 2 for the back, 0 between.
  const uint8_t *fixed;
  /// Four floats a pixel, from `focal_matte_solve`.
  const float *lines;
  /// Three floats a pixel, from `focal_matte_colours`. NULL if no colours are asked for.
  const float *front, *back;
};

/// 1 where all pixels of a part of a picture are wholly the front's, 2 where they are wholly the back's, 0 elsewhere. The part is
/// not empty.
int32_t focal_matte_side(const struct FocalMatte *matte, int32_t width, int32_t height,
                         int32_t firstColumn, int32_t endColumn, int32_t firstRow, int32_t endRow);

/// A row of alpha, and of the front's own light, at the picture's size. `light` is four floats a pixel, `width` and `height`
/// are the picture's. If `colours` is not NULL, it gets the front's light in four floats a pixel, alpha last: what is
/// wholly the front's keeps its light. If `alpha` is not NULL, it gets a float a pixel.
void focal_matte_row(const struct FocalMatte *matte, const float *light, int32_t width,
                     int32_t height, int32_t row, int32_t from, int32_t to, float *alpha,
                     float *colours);

/// A row of what is behind subjects, in place, four floats a pixel: where `subject` (four floats a pixel, alpha last) covers,
/// light comes from `back`, three floats a pixel at a size of its own, if that is not NULL; `halo` makes it white.
void focal_subject_behind(const float *subject, const float *back, int32_t backWidth,
                          int32_t backHeight, int32_t width, int32_t height, int32_t row,
                          float halo, float *light);

/// A row of a mask, 0 to 1, as codes: of `bytes` 1 and 2 a whole number up to the largest, of 4 three of them and alpha, of 16 the
/// same as floats.
void focal_mask_codes(const float *values, int32_t count, int32_t bytes, void *codes);

/// How still each pixel is, 0 to 1, by what two pictures of luma differ by around it: up to `least` of white is noise. Nothing is
/// said of the border: 0.
void focal_stillness(const uint8_t *luma, const uint8_t *before, int32_t width, int32_t height,
                     float least, float *still);

/// Keeps a matte as it was before where nothing moves: `still` is 0 to 1, at a size of its own, and counts up to `most`.
/// `was` and `moved`, of that size, say where subjects were, and where they have come or gone: where `certain`, which is
/// `fixed` as it comes in, is so around a pixel, nothing is kept of what has moved, and less where no subject was.
void focal_matte_steady(float *lines, float *alpha, uint8_t *fixed, const uint8_t *certain,
                        const float *linesBefore, const float *alphaBefore,
                        const uint8_t *fixedBefore, const float *still, const uint8_t *was, const uint8_t *moved,
                        int32_t width, int32_t height, int32_t stillWidth, int32_t stillHeight,
                        float most);

/// Gives what is not known the value of the known place that is nearest, nearly: `known` is 1 for known places. If none
/// is, values stay.
int32_t focal_subject_fill(const uint8_t *known, int32_t width, int32_t height, float *values);

/// Disparities of a row of a map that is shown as squares (four floats a pixel) of its shares of the way from `low` to `high`.
void focal_subject_shown(const float *shown, int32_t count, float low, float high, float *map);

/// The two sides of a mask's outline, in maps of a size of their own.
struct FocalHold {
  /// How many columns and rows the maps have.
  int32_t width, height;
  /// Disparities of the subject and of what is around it, both everywhere.
  const float *inside, *outside;
  /// How far each place is from the outline, below 0 outside, and how far outside disparities may have leaked.
  const float *distance;
  float reach;
  /// The least and the greatest disparity of the subject.
  float low, high;
};

/// Moves the step of a map, a row of disparities at the picture's size, to the outline of a mask (0 to 1) of that size:
/// each pixel keeps its disparity if that is its side's, and else gets its side's; what is nearer than the subject stays.
/// `width` and `height` are the picture's.
void focal_subject_hold(const struct FocalHold *hold, const float *mask, int32_t width,
                        int32_t height, int32_t row, float *map);

#endif
