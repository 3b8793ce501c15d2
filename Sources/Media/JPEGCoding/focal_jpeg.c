// SPDX-License-Identifier: Apache-2.0

#include "focal_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct FocalJPEGWriter {
  struct jpeg_compress_struct state;
  struct jpeg_error_mgr errors;
  jmp_buf failure;
  char message[JMSG_LENGTH_MAX];
  unsigned char *bytes;
  unsigned long count;
};

static void leave(j_common_ptr state) {
  struct FocalJPEGWriter *writer = state->client_data;
  state->err->format_message(state, writer->message);
  longjmp(writer->failure, 1);
}

// The library prints nothing.
static void keepSilent(j_common_ptr state, int level) {
  (void)state;
  (void)level;
}

struct FocalJPEGWriter *focal_jpeg_begin(const struct FocalJPEGSettings *settings) {
  struct FocalJPEGWriter *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  j_compress_ptr state = &writer->state;
  state->err = jpeg_std_error(&writer->errors);
  writer->errors.error_exit = leave;
  writer->errors.emit_message = keepSilent;
  state->client_data = writer;
  if (setjmp(writer->failure)) return writer;
  jpeg_create_compress(state);
  state->client_data = writer;
  jpeg_mem_dest(state, &writer->bytes, &writer->count);
  state->image_width = (JDIMENSION)settings->width;
  state->image_height = (JDIMENSION)settings->height;
  state->input_components = settings->components;
  state->in_color_space = settings->components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(state);
  jpeg_set_quality(state, settings->quality, TRUE);
  state->dct_method = JDCT_ISLOW;
  state->optimize_coding = FALSE;
  if (settings->components == 3) {
    const int factor = settings->halvesChroma ? 2 : 1;
    state->comp_info[0].h_samp_factor = factor;
    state->comp_info[0].v_samp_factor = factor;
  }
  if (settings->densityX > 0 && settings->densityY > 0) {
    state->density_unit = 1;
    state->X_density = (UINT16)settings->densityX;
    state->Y_density = (UINT16)settings->densityY;
  }
  jpeg_start_compress(state, TRUE);
  return writer;
}

int focal_jpeg_write_segment(struct FocalJPEGWriter *writer, int marker, const uint8_t *bytes,
                             size_t count) {
  if (writer->message[0]) return 0;
  if (setjmp(writer->failure)) return 0;
  jpeg_write_marker(&writer->state, marker, bytes, (unsigned)count);
  return 1;
}

int focal_jpeg_write_row(struct FocalJPEGWriter *writer, const uint8_t *row) {
  if (writer->message[0]) return 0;
  if (setjmp(writer->failure)) return 0;
  JSAMPROW rows[1] = {(JSAMPROW)(uintptr_t)row};
  return jpeg_write_scanlines(&writer->state, rows, 1) == 1;
}

const uint8_t *focal_jpeg_finish(struct FocalJPEGWriter *writer, size_t *count) {
  if (writer->message[0]) return NULL;
  if (setjmp(writer->failure)) return NULL;
  jpeg_finish_compress(&writer->state);
  *count = writer->count;
  return writer->bytes;
}

const char *focal_jpeg_message(const struct FocalJPEGWriter *writer) { return writer->message; }

void focal_jpeg_free(struct FocalJPEGWriter *writer) {
  if (!writer) return;
  // While a file grows, its destination alone knows where the bytes are: the smaller buffer that is
  // named here was freed. Its end names the right one, however often it comes. Without a first
  // buffer there is no destination.
  if (writer->bytes) writer->state.dest->term_destination(&writer->state);
  jpeg_destroy_compress(&writer->state);
  free(writer->bytes);
  free(writer);
}
