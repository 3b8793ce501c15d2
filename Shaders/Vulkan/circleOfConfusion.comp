#version 450
// SPDX-License-Identifier: Apache-2.0
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(set = 0, binding = 0, std430) readonly buffer Disparity { float disparity[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Radius { float radius[]; };
layout(set = 0, binding = 8, std430) readonly buffer Parameters {
  int width, height;
  float focusDisparity, radiusScale, maximumRadius;
};

void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height) return;
  int i = y * width + x;
  float r = (disparity[i] - focusDisparity) * radiusScale;
  r = r > -maximumRadius ? r : -maximumRadius;
  radius[i] = r < maximumRadius ? r : maximumRadius;
}
