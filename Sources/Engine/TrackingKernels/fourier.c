// SPDX-License-Identifier: Apache-2.0

#include "TrackingKernels.h"
#include "dialect.h"

// Stockham's transform over whole rows, radix 4, at last 2: a butterfly combines rows, so that the inner loop
// runs over neighbours in memory. The result is in (re, im), or, if the number of passes is odd, in the other.
static inline __attribute__((always_inline)) int columns_transform(
    float *re, float *im, float *other_re, float *other_im, int32_t side, const float *cosines,
    const float *sines) {
  int passes = 0;
  int32_t stride = side;
  for (int32_t n = side; n > 1;) {
    if (n >= 4) {
      const int32_t quarter = n / 4, turn = side / n;
      for (int32_t p = 0; p < quarter; p++) {
        const float c1 = cosines[p * turn], s1 = -sines[p * turn];
        const float c2 = cosines[2 * p * turn], s2 = -sines[2 * p * turn];
        const float c3 = cosines[3 * p * turn], s3 = -sines[3 * p * turn];
        const float *ar = re + p * stride, *ai = im + p * stride;
        const float *br = ar + quarter * stride, *bi = ai + quarter * stride;
        const float *cr = br + quarter * stride, *ci = bi + quarter * stride;
        const float *dr = cr + quarter * stride, *di = ci + quarter * stride;
        float *restrict out_re = other_re + 4 * p * stride, *restrict out_im = other_im + 4 * p * stride;
        for (int32_t q = 0; q < stride; q++) {
          const float sum_re = ar[q] + cr[q], sum_im = ai[q] + ci[q];
          const float difference_re = ar[q] - cr[q], difference_im = ai[q] - ci[q];
          const float cross_re = br[q] + dr[q], cross_im = bi[q] + di[q];
          // i (b - d)
          const float turned_re = di[q] - bi[q], turned_im = br[q] - dr[q];
          out_re[q] = sum_re + cross_re;
          out_im[q] = sum_im + cross_im;
          const float x1 = difference_re - turned_re, y1 = difference_im - turned_im;
          out_re[stride + q] = x1 * c1 - y1 * s1;
          out_im[stride + q] = x1 * s1 + y1 * c1;
          const float x2 = sum_re - cross_re, y2 = sum_im - cross_im;
          out_re[2 * stride + q] = x2 * c2 - y2 * s2;
          out_im[2 * stride + q] = x2 * s2 + y2 * c2;
          const float x3 = difference_re + turned_re, y3 = difference_im + turned_im;
          out_re[3 * stride + q] = x3 * c3 - y3 * s3;
          out_im[3 * stride + q] = x3 * s3 + y3 * c3;
        }
      }
      n /= 4;
      stride *= 4;
    } else {
      for (int32_t q = 0; q < stride; q++) {
        other_re[q] = re[q] + re[stride + q];
        other_im[q] = im[q] + im[stride + q];
        other_re[stride + q] = re[q] - re[stride + q];
        other_im[stride + q] = im[q] - im[stride + q];
      }
      n = 1;
    }
    float *swap = re;
    re = other_re;
    other_re = swap;
    swap = im;
    im = other_im;
    other_im = swap;
    passes++;
  }
  return passes;
}

static inline __attribute__((always_inline)) void transposed(
    const float *restrict input, int32_t side, float *restrict output) {
  // In blocks, so that rows and columns stay in the cache.
  for (int32_t top = 0; top < side; top += 8)
    for (int32_t left = 0; left < side; left += 8)
      for (int32_t y = top; y < top + 8 && y < side; y++)
        for (int32_t x = left; x < left + 8 && x < side; x++) output[x * side + y] = input[y * side + x];
}

FOCAL_TRACK_CLONES
void focal_track_fourier(
    float *re, float *im, int32_t side, const float *cosines, const float *sines, float *workspace) {
  float *other_re = workspace, *other_im = workspace + side * side;
  // Both passes over columns take as many steps, so that the result ends where it began.
  if (columns_transform(re, im, other_re, other_im, side, cosines, sines) % 2 == 1) {
    transposed(other_re, side, re);
    transposed(other_im, side, im);
    columns_transform(re, im, other_re, other_im, side, cosines, sines);
    for (int32_t index = 0; index < side * side; index++) {
      re[index] = other_re[index];
      im[index] = other_im[index];
    }
  } else {
    transposed(re, side, other_re);
    transposed(im, side, other_im);
    columns_transform(other_re, other_im, re, im, side, cosines, sines);
    for (int32_t index = 0; index < side * side; index++) {
      re[index] = other_re[index];
      im[index] = other_im[index];
    }
  }
}

FOCAL_TRACK_CLONES
void focal_track_split(
    const float *restrict re, const float *restrict im, int32_t side, float *restrict first_re,
    float *restrict first_im, float *restrict second_re, float *restrict second_im) {
  for (int32_t row = 0; row <= side / 2; row++) {
    const float *other_re = re + (side - row) % side * side, *other_im = im + (side - row) % side * side;
    for (int32_t column = 0; column < side; column++) {
      const int32_t at = row * side + column, opposite = (side - column) & (side - 1);
      first_re[at] = (re[at] + other_re[opposite]) * 0.5f;
      first_im[at] = (im[at] - other_im[opposite]) * 0.5f;
      second_re[at] = (im[at] + other_im[opposite]) * 0.5f;
      second_im[at] = (other_re[opposite] - re[at]) * 0.5f;
    }
  }
}

FOCAL_TRACK_CLONES
void focal_track_join(
    const float *restrict first_re, const float *restrict first_im, const float *restrict second_re,
    const float *restrict second_im, int32_t side, float *restrict re, float *restrict im) {
  for (int32_t row = 0; row <= side / 2; row++) {
    for (int32_t column = 0; column < side; column++) {
      const int32_t at = row * side + column;
      re[at] = first_re[at] - second_im[at];
      im[at] = first_im[at] + second_re[at];
    }
  }
  for (int32_t row = side / 2 + 1; row < side; row++) {
    for (int32_t column = 0; column < side; column++) {
      const int32_t at = row * side + column;
      const int32_t from = (side - row) * side + ((side - column) & (side - 1));
      re[at] = first_re[from] + second_im[from];
      im[at] = second_re[from] - first_im[from];
    }
  }
}
