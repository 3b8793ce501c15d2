// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "focal_alpha.h"
#include "focal_blur.h"
#include "focal_colours.h"
#include "focal_composite.h"
#include "focal_layers.h"
#include "focal_map.h"
#include "focal_math.h"
#include "focal_matte.h"
#include "focal_pixel.h"
#include "focal_refine.h"
#include "focal_resample.h"
#include "focal_sides.h"
#include "focal_slices.h"
#include "focal_tiles.h"
#include "focal_tone.h"
#include "focal_views.h"
