// SPDX-License-Identifier: Apache-2.0
//
// Adds the discs of the lights to the picture. Grid: pixels, in workgroups of FOCAL_GROUP_WIDTH x
// FOCAL_GROUP_HEIGHT.
//
// A workgroup looks through the blocks in reach, a lane each, then through the lights of those that are lit, a lane
// each, and finds for each light that reaches it which slices may hide it. All its pixels then go
// through these lights, in the order of the blocks. A pixel of a disc is one point of the lens: where the
// ray from the light through it passes the slices that are nearer, their alphas are what hides it.

#include "lit_pixel.h"

FOCAL_ENTRY(drawLights)
