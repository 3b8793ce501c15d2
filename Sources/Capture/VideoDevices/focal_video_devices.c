// SPDX-License-Identifier: Apache-2.0

// For the flags of open().
#define _GNU_SOURCE

#include "focal_video_devices.h"

#include <errno.h>
#include <string.h>

#ifdef __linux__

#include <fcntl.h>
#include <linux/videodev2.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int ask(int device, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(device, request, argument);
  } while (result < 0 && errno == EINTR);
  return result;
}

typedef struct {
  FocalVideoFormat *formats;
  int capacity, count;
} List;

static void add(List *list, FocalVideoFormat format) {
  if (list->count < list->capacity) list->formats[list->count] = format;
  ++list->count;
}

/// Adds a size with its slowest and its fastest rate; an interval is the time of a picture.
static void add_rates(int device, List *list, uint32_t coding, uint32_t width, uint32_t height) {
  FocalVideoFormat format = {coding, width, height, 0, 1, 0, 1};
  for (uint32_t index = 0; index < 256; ++index) {
    struct v4l2_frmivalenum interval;
    memset(&interval, 0, sizeof interval);
    interval.index = index;
    interval.pixel_format = coding;
    interval.width = width;
    interval.height = height;
    if (ask(device, VIDIOC_ENUM_FRAMEINTERVALS, &interval) < 0) break;
    struct v4l2_fract shortest, longest;
    if (interval.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
      shortest = longest = interval.discrete;
    } else {
      shortest = interval.stepwise.min;
      longest = interval.stepwise.max;
    }
    if (shortest.numerator && longest.numerator) {
      if (!format.fastest_count || (uint64_t)shortest.denominator * format.fastest_seconds >
                                       (uint64_t)format.fastest_count * shortest.numerator) {
        format.fastest_count = shortest.denominator;
        format.fastest_seconds = shortest.numerator;
      }
      if (!format.slowest_count || (uint64_t)longest.denominator * format.slowest_seconds <
                                       (uint64_t)format.slowest_count * longest.numerator) {
        format.slowest_count = longest.denominator;
        format.slowest_seconds = longest.numerator;
      }
    }
    if (interval.type != V4L2_FRMIVAL_TYPE_DISCRETE) break;
  }
  add(list, format);
}

static void add_sizes(int device, List *list, uint32_t coding) {
  for (uint32_t index = 0; index < 256; ++index) {
    struct v4l2_frmsizeenum size;
    memset(&size, 0, sizeof size);
    size.index = index;
    size.pixel_format = coding;
    if (ask(device, VIDIOC_ENUM_FRAMESIZES, &size) < 0) return;
    if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
      add_rates(device, list, coding, size.discrete.width, size.discrete.height);
      continue;
    }
    // Any size up to this one.
    add_rates(device, list, coding, size.stepwise.max_width, size.stepwise.max_height);
    return;
  }
}

int focal_video_formats(
    const char *path, char name[64], FocalVideoFormat *formats, int capacity) {
  const int device = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) return -errno;
  struct v4l2_capability capability;
  memset(&capability, 0, sizeof capability);
  List list = {formats, capacity, 0};
  int failure = 0;
  if (ask(device, VIDIOC_QUERYCAP, &capability) < 0) {
    failure = errno;
  } else {
    const uint32_t can = capability.capabilities & V4L2_CAP_DEVICE_CAPS
                             ? capability.device_caps
                             : capability.capabilities;
    if (!(can & V4L2_CAP_VIDEO_CAPTURE) || !(can & V4L2_CAP_STREAMING)) failure = ENODEV;
    memcpy(name, capability.card, sizeof capability.card);
    name[sizeof capability.card] = 0;
  }
  for (uint32_t index = 0; !failure && index < 64; ++index) {
    struct v4l2_fmtdesc description;
    memset(&description, 0, sizeof description);
    description.index = index;
    description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (ask(device, VIDIOC_ENUM_FMT, &description) < 0) break;
    add_sizes(device, &list, description.pixelformat);
  }
  close(device);
  return failure ? -failure : list.count;
}

#else

int focal_video_formats(
    const char *path, char name[64], FocalVideoFormat *formats, int capacity) {
  (void)path, (void)formats, (void)capacity;
  name[0] = 0;
  return -ENODEV;
}

#endif
