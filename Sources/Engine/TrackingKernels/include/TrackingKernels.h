// SPDX-License-Identifier: Apache-2.0
//
// The object tracker's work on every pixel and every frequency. All sums run in a fixed order and nothing is
// contracted, so that every machine gives the same bits.
#pragma once

#include <stdint.h>

// Directions of edges that are told apart, with and without their sign, and channels of texture.
#define FOCAL_TRACK_GRADIENTS 31
// Shades of gray and hues that colours are told apart by.
#define FOCAL_TRACK_COLORS 10
// Pixels of a cell's side.
#define FOCAL_TRACK_CELL 4
// Colours of a histogram: levels of luma, times those of each chroma.
#define FOCAL_TRACK_LUMA_BINS 12
#define FOCAL_TRACK_CHROMA_BINS 16
#define FOCAL_TRACK_BINS 3072

// The discrete Fourier transform of a field of complex numbers, `side` squared, a power of two; real and
// imaginary parts apart. The result is transposed. With the parts exchanged it is the inverse transform times
// side², and undoes the transposition. `cosines` and `sines` hold `side` values of a whole turn; `workspace`
// holds 2 · side² floats.
void focal_track_fourier(
    float *re, float *im, int32_t side, const float *cosines, const float *sines, float *workspace);

// The spectra of two real fields from that of the first plus i times the second: only frequencies 0 to side/2 of
// the rows, as the others are their conjugates. And back.
void focal_track_split(
    const float *re, const float *im, int32_t side, float *first_re, float *first_im, float *second_re,
    float *second_im);
void focal_track_join(
    const float *first_re, const float *first_im, const float *second_re, const float *second_im, int32_t side,
    float *re, float *im);

// re, im += x times the conjugate of f, over `count` numbers.
void focal_track_correlate(
    const float *x_re, const float *x_im, const float *f_re, const float *f_im, int32_t count, float *re,
    float *im);

// One step of the filter's alternating directions: for every frequency the f that minimises
// |xᴴf - y|² + penalty |f - g + h|², over all channels at once. The label's spectrum is
// real. `workspace` holds 3 · count floats.
void focal_track_solve(
    const float *x_re, const float *x_im, const float *label, const float *g_re, const float *g_im,
    const float *h_re, const float *h_im, float penalty, int32_t channels, int32_t count, float *f_re, float *f_im, float *workspace);

// A rectangle of a plane, columns by rows samples of it, bilinear; beyond the plane its edge goes on. `left`,
// `top` are the first sample's place, in pixels whose centres are whole numbers; `stride` is that from pixel to
// pixel, in bytes.
void focal_track_sample(
    const uint8_t *plane, int32_t width, int32_t height, int32_t row_bytes, int32_t stride, float left, float top,
    float step_x, float step_y, int32_t columns, int32_t rows, float *output);

// A plane at half its size: the mean of four.
void focal_track_halve(
    const uint8_t *plane, int32_t row_bytes, int32_t stride, int32_t width, int32_t height, uint8_t *output);

// Histograms of oriented gradients of pixels, columns by rows cells: 18 signed directions, 9 unsigned, 4 of
// texture, a field each. `workspace` holds 19 floats a cell and two rows of pixels.
void focal_track_gradients(
    const float *pixels, int32_t columns, int32_t rows, float *fields, float *workspace);

// Shares of gray in four shades and of six hues, a field each. `luma`, `blue` and `red` have two samples to
// a cell's side.
void focal_track_colors(
    const float *luma, const float *blue, const float *red, int32_t columns, int32_t rows, float *fields);

// The bin of each sample's colour.
void focal_track_bins(
    const float *luma, const float *blue, const float *red, int32_t count, uint16_t *bins);
