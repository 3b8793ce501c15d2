// SPDX-License-Identifier: Apache-2.0
//
// Adds the discs of the lights to the picture. Grid: pixels, in workgroups of FOCAL_GROUP_WIDTH x
// FOCAL_GROUP_HEIGHT.
//
// A workgroup looks through the blocks in reach of all images, a lane each, then through the lights from the first
// that is lit to the last, a lane each, and finds for each light that reaches it which slices may hide it. All its
// pixels then go through these lights, in the order of the blocks. Blocks of all images are one list, so that a workgroup
// meets at barriers as often as it has lights to look through, not once an image. A list of the lit blocks alone
// would need barriers in a loop within a loop, with which PoCL 3.1 drew other lights from run to run. A pixel of a disc is one point of the lens: where the
// ray from the light through it passes the slices that are nearer, their alphas are what hides it.

#include "lit_pixel.h"

FOCAL_ENTRY(drawLights)
