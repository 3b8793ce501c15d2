// SPDX-License-Identifier: Apache-2.0

#include "TrackingKernels.h"
#include "dialect.h"

FOCAL_TRACK_CLONES
void focal_track_correlate(
    const float *restrict x_re, const float *restrict x_im, const float *restrict f_re,
    const float *restrict f_im, int32_t count, float *restrict re, float *restrict im) {
  for (int32_t i = 0; i < count; i++) {
    re[i] += x_re[i] * f_re[i] + x_im[i] * f_im[i];
    im[i] += x_im[i] * f_re[i] - x_re[i] * f_im[i];
  }
}

// The matrix x xᴴ + penalty I is of rank one beside a diagonal: Sherman and Morrison invert it.
FOCAL_TRACK_CLONES
void focal_track_solve(
    const float *restrict x_re, const float *restrict x_im, const float *restrict label,
    const float *restrict g_re, const float *restrict g_im, const float *restrict h_re,
    const float *restrict h_im, float penalty, int32_t channels, int32_t count, float *restrict f_re, float *restrict f_im,
    float *restrict workspace) {
  float *restrict energy = workspace, *restrict dot_re = workspace + count, *restrict dot_im = dot_re + count;
  const float share = 1 / penalty;
  for (int32_t i = 0; i < count; i++) energy[i] = dot_re[i] = dot_im[i] = 0;
  for (int32_t channel = 0; channel < channels; channel++) {
    const int64_t start = (int64_t)channel * count;
    const float *restrict a = x_re + start, *restrict b = x_im + start;
    float *restrict q_re = f_re + start, *restrict q_im = f_im + start;
    for (int32_t i = 0; i < count; i++) {
      const int64_t at = start + i;
      const float re = a[i] * label[i] + penalty * (g_re[at] - h_re[at]);
      const float im = b[i] * label[i] + penalty * (g_im[at] - h_im[at]);
      q_re[i] = re;
      q_im[i] = im;
      energy[i] += a[i] * a[i] + b[i] * b[i];
      dot_re[i] += a[i] * re + b[i] * im;
      dot_im[i] += a[i] * im - b[i] * re;
    }
  }
  for (int32_t i = 0; i < count; i++) {
    const float factor = 1 / (penalty + energy[i]);
    dot_re[i] *= factor;
    dot_im[i] *= factor;
  }
  for (int32_t channel = 0; channel < channels; channel++) {
    const int64_t start = (int64_t)channel * count;
    const float *restrict a = x_re + start, *restrict b = x_im + start;
    float *restrict q_re = f_re + start, *restrict q_im = f_im + start;
    for (int32_t i = 0; i < count; i++) {
      q_re[i] = (q_re[i] - (a[i] * dot_re[i] - b[i] * dot_im[i])) * share;
      q_im[i] = (q_im[i] - (a[i] * dot_im[i] + b[i] * dot_re[i])) * share;
    }
  }
}
