// SPDX-License-Identifier: Apache-2.0
//
// FFmpeg's libraries for Swift. Swift does not import function-like macros, macros that cast, or
// C unions behind them, so each that is needed has a function here; and where two supported
// versions of FFmpeg (5.1 and 6.1) name the same thing differently, the difference ends here.

#ifndef FOCAL_CFFMPEG_SHIM_H
#define FOCAL_CFFMPEG_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/channel_layout.h>
#include <libavutil/cpu.h>
#include <libavutil/crc.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <stddef.h>
#include <string.h>

static inline int focal_averror_again(void) { return AVERROR(EAGAIN); }
static inline int focal_averror_end_of_file(void) { return AVERROR_EOF; }
static inline int focal_averror_invalid_data(void) { return AVERROR_INVALIDDATA; }
static inline int focal_averror_out_of_memory(void) { return AVERROR(ENOMEM); }
static inline int focal_averror_of_errno(int number) { return AVERROR(number); }
static inline int focal_averror_exit(void) { return AVERROR_EXIT; }
static inline int64_t focal_no_timestamp(void) { return AV_NOPTS_VALUE; }

static inline void focal_error_text(int code, char *text, size_t size) {
  if (av_strerror(code, text, size) < 0) text[0] = 0;
}

/// Leaves some rows of a frame alone; the first is even where chroma has fewer.
static inline void focal_frame_crop_rows(AVFrame *frame, int first, int count) {
  const AVPixFmtDescriptor *format = av_pix_fmt_desc_get((enum AVPixelFormat)frame->format);
  for (int plane = 0; plane < 4 && frame->data[plane]; ++plane) {
    const int shift = format && (plane == 1 || plane == 2) ? format->log2_chroma_h : 0;
    frame->data[plane] += (ptrdiff_t)(first >> shift) * frame->linesize[plane];
  }
  frame->height = count;
}

static inline void focal_silence_log(void) { av_log_set_level(AV_LOG_QUIET); }

/// Ticks of the stream's time base that the frame lasts; 0 where unknown.
static inline int64_t focal_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  return frame->duration;
#else
  return frame->pkt_duration;
#endif
}

/// Whether the rows of a picture are of two moments.
static inline int focal_frame_is_interlaced(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
  return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame->interlaced_frame;
#endif
}

/// Whether the first row is of the first of them.
static inline int focal_frame_is_top_first(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
  return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
  return frame->top_field_first;
#endif
}

/// Says that the rows of a picture are of two moments.
static inline void focal_frame_set_interlaced(AVFrame *frame, int isTopFirst) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
  frame->flags |= AV_FRAME_FLAG_INTERLACED;
  if (isTopFirst) frame->flags |= AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
  frame->interlaced_frame = 1;
  frame->top_field_first = isTopFirst;
#endif
}

/// The sample entry under which Apple's systems play HEVC.
static inline uint32_t focal_tag_hvc1(void) { return MKTAG('h', 'v', 'c', '1'); }

/// The stream's 3×3 display matrix, or NULL.
static inline const int32_t *focal_stream_display_matrix(const AVStream *stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  const AVPacketSideData *data =
      av_packet_side_data_get(stream->codecpar->coded_side_data,
                              stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
#else
  size_t size = 0;
  const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
#endif
}

/// The side data of a stream, or NULL; at least `size` bytes.
static inline const void *focal_stream_side_data(const AVStream *stream,
                                                 enum AVPacketSideDataType type, size_t size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  const AVPacketSideData *data = av_packet_side_data_get(
      stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
  return data && data->size >= size ? data->data : NULL;
#else
  size_t found = 0;
  const uint8_t *data = av_stream_get_side_data(stream, type, &found);
  return data && found >= size ? data : NULL;
#endif
}

/// The screen that a stream was made on, or NULL.
static inline const AVMasteringDisplayMetadata *focal_stream_mastering_display(
    const AVStream *stream) {
  return focal_stream_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
                                sizeof(AVMasteringDisplayMetadata));
}

/// The configuration of a stream's Dolby Vision; returns 0 where there is none.
static inline int focal_stream_dolby_vision(const AVStream *stream,
                                            AVDOVIDecoderConfigurationRecord *record) {
  // The record may grow; of all versions are the fields up to this one.
  const size_t size =
      offsetof(AVDOVIDecoderConfigurationRecord, dv_bl_signal_compatibility_id) + 1;
  const void *data = focal_stream_side_data(stream, AV_PKT_DATA_DOVI_CONF, size);
  memset(record, 0, sizeof *record);
  if (data) memcpy(record, data, size);
  return data != NULL;
}

/// Adds side data to a stream that is written; returns 0 where no memory is left.
static inline int focal_stream_add_side_data(
    AVStream *stream, enum AVPacketSideDataType type, const void *bytes, size_t size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  AVPacketSideData *added =
      av_packet_side_data_new(&stream->codecpar->coded_side_data,
                              &stream->codecpar->nb_coded_side_data, type, size, 0);
  uint8_t *data = added ? added->data : NULL;
#else
  uint8_t *data = av_stream_new_side_data(stream, type, size);
#endif
  if (!data) return 0;
  memcpy(data, bytes, size);
  return 1;
}

/// The light of a stream's pictures, or NULL.
static inline const AVContentLightMetadata *focal_stream_content_light(const AVStream *stream) {
  return focal_stream_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
                                sizeof(AVContentLightMetadata));
}

/// The same as a frame carries it, or NULL.
static inline const AVMasteringDisplayMetadata *focal_frame_mastering_display(
    const AVFrame *frame) {
  const AVFrameSideData *data =
      av_frame_get_side_data(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
  return data && data->size >= sizeof(AVMasteringDisplayMetadata)
             ? (const AVMasteringDisplayMetadata *)data->data
             : NULL;
}

static inline const AVContentLightMetadata *focal_frame_content_light(const AVFrame *frame) {
  const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
  return data && data->size >= sizeof(AVContentLightMetadata)
             ? (const AVContentLightMetadata *)data->data
             : NULL;
}

/// The 3×3 display matrix that a frame carries, or NULL.
static inline const int32_t *focal_frame_display_matrix(const AVFrame *frame) {
  const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);
  return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
}

/// How many channels a stream's sound has.
static inline int focal_channel_count(const AVCodecParameters *parameters) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
  return parameters->ch_layout.nb_channels;
#else
  return parameters->channels;
#endif
}

static inline int focal_hidden_samples(
    const uint8_t *data, size_t size, uint32_t *start, uint32_t *end) {
  if (!data || size < 8) return 0;
  *start = data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24;
  *end = data[4] | data[5] << 8 | data[6] << 16 | (uint32_t)data[7] << 24;
  return 1;
}

/// How many samples at a packet's start and end are not to be heard; returns 0 where nothing is said.
static inline int focal_packet_hidden_samples(
    const AVPacket *packet, uint32_t *start, uint32_t *end) {
  size_t size = 0;
  const uint8_t *data = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size);
  return focal_hidden_samples(data, size, start, end);
}

/// Adds the samples of a frame to a queue of their kind; returns how many.
static inline int focal_fifo_write(AVAudioFifo *fifo, const AVFrame *frame) {
  return av_audio_fifo_write(fifo, (void **)frame->extended_data, frame->nb_samples);
}

/// Fills a frame with samples from a queue of their kind; returns how many.
static inline int focal_fifo_read(AVAudioFifo *fifo, AVFrame *frame) {
  return av_audio_fifo_read(fifo, (void **)frame->extended_data, frame->nb_samples);
}

/// Converts the samples of a frame, from number `first` on, or what is left where it is NULL; returns
/// how many `to`, which has room for its `nb_samples`, then holds, or an error.
static inline int focal_resample(SwrContext *context, const AVFrame *from, int first, AVFrame *to) {
  if (!from) return swr_convert(context, to->extended_data, to->nb_samples, NULL, 0);
  const uint8_t *planes[64] = {NULL};
  const enum AVSampleFormat format = (enum AVSampleFormat)from->format;
  const int planar = av_sample_fmt_is_planar(format);
  const int count = planar ? from->ch_layout.nb_channels : 1;
  if (count > 64 || first > from->nb_samples) return AVERROR(EINVAL);
  const size_t skipped = (size_t)first * (size_t)av_get_bytes_per_sample(format) *
                         (size_t)(planar ? 1 : from->ch_layout.nb_channels);
  for (int plane = 0; plane < count; plane++) planes[plane] = from->extended_data[plane] + skipped;
  return swr_convert(context, to->extended_data, to->nb_samples, planes, from->nb_samples - first);
}

/// Gets what is ready out of a resampler that goes on; returns how many samples `to`, which has room
/// for its `nb_samples`, then holds, or an error.
static inline int focal_resample_ready(SwrContext *context, AVFrame *to) {
  // Input of no samples; none at all would be the end.
  const uint8_t nothing = 0, *planes[64];
  for (int plane = 0; plane < 64; plane++) planes[plane] = &nothing;
  return swr_convert(context, to->extended_data, to->nb_samples, planes, 0);
}

/// Whether the decoder says that it made part of the picture up.
static inline int focal_frame_is_damaged(const AVFrame *frame) {
  return (frame->decode_error_flags &
          (FF_DECODE_ERROR_INVALID_BITSTREAM | FF_DECODE_ERROR_CONCEALMENT_ACTIVE |
           FF_DECODE_ERROR_DECODE_SLICES)) != 0;
}

/// Whether an input is a device, and no file.
static inline int focal_is_device(const AVInputFormat *format) {
  const AVClass *kind = format->priv_class;
  return kind && AV_IS_INPUT_DEVICE(kind->category);
}

static inline int focal_refuse_open(
    AVFormatContext *context, AVIOContext **stream, const char *url, int flags,
    AVDictionary **options) {
  (void)context, (void)stream, (void)url, (void)flags, (void)options;
  return AVERROR(EACCES);
}

/// Keeps a demuxer from opening anything but what it was given.
static inline void focal_refuse_other_files(AVFormatContext *context) {
  context->io_open = focal_refuse_open;
}

/// Turns a picture upside down without copying: its rows are read from the last to the first. For
/// formats whose planes all have the picture's height.
static inline void focal_frame_flip(AVFrame *frame) {
  for (int plane = 0; plane < AV_NUM_DATA_POINTERS && frame->data[plane]; plane++) {
    frame->data[plane] += (ptrdiff_t)frame->linesize[plane] * (frame->height - 1);
    frame->linesize[plane] = -frame->linesize[plane];
  }
}

#endif
