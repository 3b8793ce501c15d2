#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disparity by a program of one's own: focal estimate clip.mp4 --helper 'python3 estimate-helper.py' -o maps/%04d.exr

Reads pictures and answers each with a map; see Documentation/models.md. In place of `disparity` below stands
whatever makes a map: a network in a framework, a renderer, a file.
"""
import array
import os
import sys


def disparity(width, height, pixels):
    """A stand-in: the ground comes nearer towards the lower edge. Rows from the top, larger is nearer.

    pixels: 3 * width * height bytes, red, green and blue, rows from the top.
    """
    return array.array("f", (y / height for y in range(height) for _ in range(width)))


def main():
    source, target = sys.stdin.buffer, sys.stdout.buffer
    # A line or a picture that is cut short is the end, too.
    while (line := source.readline()).endswith(b"\n"):
        word, width, height = line.split()
        if word != b"frame":
            sys.exit("not a frame: %r" % line)
        width, height = int(width), int(height)
        pixels = source.read(3 * width * height)
        if len(pixels) < 3 * width * height:
            return
        values = disparity(width, height, pixels)
        if sys.byteorder == "big":
            values.byteswap()
        # The last word may be depth (larger is farther) or metric-depth (metres), too.
        target.write(b"map %d %d disparity\n" % (width, height))
        target.write(values.tobytes())
        target.flush()


try:
    main()
except BrokenPipeError:
    # The command was ended. What is left to be written goes nowhere, or Python would complain of it at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
