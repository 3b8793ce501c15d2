// SPDX-License-Identifier: Apache-2.0
//
// The kind of picture that a kernel converts. The branches of nine formats and five transfer functions
// cost more than the conversion: Vulkan makes a pipeline for each combination that is used
// (Dispatch.constants), OpenCL drivers skip the branches that no pixel takes.
#pragma once

// The stored picture among the kernel's parameters.
#if !defined(FOCAL_STORED)
#define FOCAL_STORED p
#endif

#if defined(FOCAL_GLSL)
layout(constant_id = 3) const int pictureFormat = 0;
layout(constant_id = 4) const int pictureTransfer = 0;
layout(constant_id = 5) const int pictureMatrix = 0;
layout(constant_id = 6) const int pictureFullRange = 0;
layout(constant_id = 7) const int pictureDither = 0;
layout(constant_id = 8) const int pictureTurn = 0;
#else
#define pictureFormat FOCAL_STORED.format
#define pictureTransfer FOCAL_STORED.transfer
#define pictureMatrix FOCAL_STORED.matrix
#define pictureFullRange FOCAL_STORED.fullRange
#define pictureDither FOCAL_STORED.dither
#define pictureTurn FOCAL_STORED.turn
#endif
