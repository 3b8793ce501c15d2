// SPDX-License-Identifier: Apache-2.0
//
// The meaning of a kernel's body in GLSL, and the macros that ShaderCompiler declares its buffers with.
// Arithmetic needs no `precise`: ShaderCompiler marks every operation as not to be contracted.
#pragma once

#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require

// Kernel.workgroup, given when the pipeline is made.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

// Buffer arguments; a name is indexed as an array. Two may share a binding: bytes and words of the
// same buffer.
#define FOCAL_READS(index, type, name) \
  layout(std430, set = 0, binding = index) readonly buffer Of_##name { type name[]; };
#define FOCAL_WRITES(index, type, name) \
  layout(std430, set = 0, binding = index) buffer Of_##name { type name[]; };
// The parameter struct, as `p`: vectors of the words that it consists of, which ShaderCompiler puts together. A
// device reads a uniform block once a workgroup or wave, and need not ask whether a store changed it.
#define FOCAL_PARAMETERS(type, vectors)                                                        \
  layout(std140, set = 0, binding = 8) uniform Of_parameters { uvec4 focal_words[vectors]; }; \
  type p;

// OpenCL functions take the buffers as arguments; here they are global.
#define FOCAL_TAKES
#define FOCAL_PASSES

// Memory of a workgroup, before the function that uses it.
#define FOCAL_SHARED_ARRAY(type, name, count) shared type name[count];
#define FOCAL_ATOMIC_OR(word, bits) atomicOr(word, bits)
#define FOCAL_ATOMIC_MIN(word, value) atomicMin(word, value)
#define FOCAL_ATOMIC_MAX(word, value) atomicMax(word, value)
#define FOCAL_BARRIER() barrier()
#define FOCAL_LOCAL_X() FOCAL_INT(gl_LocalInvocationID.x)
#define FOCAL_LOCAL_Y() FOCAL_INT(gl_LocalInvocationID.y)
#define FOCAL_GROUP_X() FOCAL_INT(gl_WorkGroupID.x)
#define FOCAL_GROUP_Y() FOCAL_INT(gl_WorkGroupID.y)
// The lane of a workgroup FOCAL_GROUP_WIDTH wide.
#define FOCAL_LANE() (FOCAL_LOCAL_Y() * FOCAL_GROUP_WIDTH + FOCAL_LOCAL_X())
#define FOCAL_LANES FOCAL_GROUP_SIZE
// Lanes of a workgroup of one row.
#define FOCAL_ROW_LANES FOCAL_GROUP_WIDTH

// Four floats, and bytes and 16-bit words, which are only ever loaded and stored.
#define float4 vec4
#define FOCAL_FLOAT4(x, y, z, w) vec4(x, y, z, w)
#define FOCAL_BYTE(value) uint8_t(value)
#define FOCAL_WORD(value) uint16_t(value)

// The entry point: `invoke(x, y, z)` of the kernel's body for each invocation of the grid.
#define FOCAL_ENTRY(kernel)                                                        \
  void main() {                                                                    \
    focal_readParameters();                                                        \
    invoke(FOCAL_INT(gl_GlobalInvocationID.x), FOCAL_INT(gl_GlobalInvocationID.y), \
           FOCAL_INT(gl_GlobalInvocationID.z));                                    \
  }

// The same for a body that a workgroup runs together: `invoke(x, y, z)` of the workgroup.
#define FOCAL_GROUP_ENTRY(kernel)                                   \
  void main() {                                                     \
    focal_readParameters();                                         \
    invoke(FOCAL_GROUP_X(), FOCAL_GROUP_Y(), 0);                    \
  }
