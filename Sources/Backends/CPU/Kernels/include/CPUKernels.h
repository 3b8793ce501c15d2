// SPDX-License-Identifier: Apache-2.0
//
// The kernels as the CPU runs them. Every kernel has the same form: buffers by binding index,
// parameters (a struct of the shared headers), and the range of rows or tiles that a call works
// on. A call writes only what belongs to its range, so ranges can run on any number of threads in
// any order and give the same bits.
#pragma once

#include "ShaderTypes.h"

#define FOCAL_KERNEL_DECLARATION(name)                                                       \
  void focal_##name(void *const *buffers, const void *parameters, uint32_t begin, uint32_t end)

FOCAL_KERNEL_DECLARATION(unpack);
FOCAL_KERNEL_DECLARATION(unpackDisparity);
FOCAL_KERNEL_DECLARATION(resample);
FOCAL_KERNEL_DECLARATION(reduceDisparity);
FOCAL_KERNEL_DECLARATION(fillDisparity);
FOCAL_KERNEL_DECLARATION(findSidesSharp);
FOCAL_KERNEL_DECLARATION(seedSides);
FOCAL_KERNEL_DECLARATION(spreadSides);
FOCAL_KERNEL_DECLARATION(finishSides);
FOCAL_KERNEL_DECLARATION(markReach);
FOCAL_KERNEL_DECLARATION(makeGuide);
FOCAL_KERNEL_DECLARATION(sumColours);
FOCAL_KERNEL_DECLARATION(fitSides);
FOCAL_KERNEL_DECLARATION(decideSides);
FOCAL_KERNEL_DECLARATION(smoothDecision);
FOCAL_KERNEL_DECLARATION(resolveDisparity);
FOCAL_KERNEL_DECLARATION(circleOfConfusion);
FOCAL_KERNEL_DECLARATION(matte);
FOCAL_KERNEL_DECLARATION(gatherLayers);
FOCAL_KERNEL_DECLARATION(pyramidBase);
FOCAL_KERNEL_DECLARATION(pyramidDown);
FOCAL_KERNEL_DECLARATION(pyramidUp);
FOCAL_KERNEL_DECLARATION(pyramidStore);
FOCAL_KERNEL_DECLARATION(connectSlices);
FOCAL_KERNEL_DECLARATION(classifyBlocks);
FOCAL_KERNEL_DECLARATION(classifyTiles);
FOCAL_KERNEL_DECLARATION(assembleSlices);
FOCAL_KERNEL_DECLARATION(lensViews);
FOCAL_KERNEL_DECLARATION(blurTiles);
FOCAL_KERNEL_DECLARATION(composite);
FOCAL_KERNEL_DECLARATION(pack);
FOCAL_KERNEL_DECLARATION(packBiPlanar);
