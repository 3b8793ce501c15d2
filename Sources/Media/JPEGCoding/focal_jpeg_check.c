// SPDX-License-Identifier: Apache-2.0

#include "focal_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jerror.h>
#include <jpeglib.h>

struct Check {
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  char *message;
  int isDamaged;
};

static void leave(j_common_ptr state) {
  struct Check *check = (struct Check *)state->err;
  longjmp(check->failure, 1);
}

/// Whether the bytes that were passed over before a marker are filling.
static int isFilling(j_common_ptr state) {
  const struct jpeg_source_mgr *source = ((j_decompress_ptr)state)->src;
  for (int back = 1; back <= state->err->msg_parm.i[0]; ++back) {
    const JOCTET byte = *(source->next_input_byte - back);
    if (byte != 0 && byte != 0xFF) return 0;
  }
  return 1;
}

static void judge(j_common_ptr state, int level) {
  struct Check *check = (struct Check *)state->err;
  if (level >= 0 || check->isDamaged) return;
  switch (state->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
      if (isFilling(state)) return;
      break;
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_JPEG_EOF: break;
    default: return;
  }
  check->isDamaged = 1;
  char text[JMSG_LENGTH_MAX];
  state->err->format_message(state, text);
  const j_decompress_ptr picture = (j_decompress_ptr)state;
  // Several passes go over the whole picture.
  if (picture->progressive_mode || !picture->output_height)
    snprintf(check->message, FOCAL_JPEG_MESSAGE_SIZE, "%s", text);
  else
    snprintf(check->message, FOCAL_JPEG_MESSAGE_SIZE, "at or above row %u: %s",
             picture->output_scanline * (picture->image_height / picture->output_height), text);
}

int focal_jpeg_is_sound(const uint8_t *bytes, size_t count, char *message) {
  struct Check check = {.message = message};
  struct jpeg_decompress_struct state;
  JSAMPLE *volatile row = NULL;
  message[0] = 0;
  state.err = jpeg_std_error(&check.errors);
  check.errors.error_exit = leave;
  check.errors.emit_message = judge;
  jpeg_create_decompress(&state);
  if (!setjmp(check.failure)) {
    jpeg_mem_src(&state, bytes, (unsigned long)count);
    jpeg_read_header(&state, TRUE);
    // Every code is read, and an eighth of the picture made of them.
    state.scale_num = 1;
    state.scale_denom = 8;
    state.do_fancy_upsampling = FALSE;
    state.out_color_space = state.jpeg_color_space;
    jpeg_start_decompress(&state);
    row = malloc((size_t)state.output_width * (size_t)state.output_components);
    while (row && state.output_scanline < state.output_height && !check.isDamaged) {
      JSAMPROW rows[1] = {row};
      jpeg_read_scanlines(&state, rows, 1);
    }
    if (row && !check.isDamaged) jpeg_finish_decompress(&state);
  }
  jpeg_destroy_decompress(&state);
  free(row);
  return !check.isDamaged;
}
