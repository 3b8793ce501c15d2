// SPDX-License-Identifier: Apache-2.0
//
// The kind of picture that a kernel converts. The branches of nine formats and five transfer functions
// cost more than the conversion: Vulkan makes a pipeline for each combination that is used
// (Dispatch.constants), OpenCL drivers skip the branches that no pixel takes.
#pragma once

#if defined(FOCAL_GLSL)
layout(constant_id = 3) const int pictureFormat = 0;
layout(constant_id = 4) const int pictureTransfer = 0;
layout(constant_id = 5) const int pictureMatrix = 0;
layout(constant_id = 6) const int pictureFullRange = 0;
layout(constant_id = 7) const int pictureDither = 0;
layout(constant_id = 8) const int pictureTurn = 0;
#else
#define pictureFormat p.format
#define pictureTransfer p.transfer
#define pictureMatrix p.matrix
#define pictureFullRange p.fullRange
#define pictureDither p.dither
#define pictureTurn p.turn
#endif
