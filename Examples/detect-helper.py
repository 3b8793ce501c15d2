#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Detections by a program of one's own:

    focal script detect clip.mp4 --disparity maps/%04d.exr --detect-helper 'python3 detect-helper.py' -o script.json

Reads pictures and answers each with what is in it; see Documentation/models.md. In place of `objects` below stands
whatever finds things: a network in a framework, a file of boxes, a tracker.
"""
import os
import sys


def objects(width, height, pixels):
    """A stand-in: the box of what is pure red is a ball. Kind, left, top, width and height in shares, certainty.

    Kinds: humanFace, humanHead, humanTorso, catBody, catHead, dogBody, dogHead, sportsBall.
    pixels: 3 * width * height bytes, red, green and blue, rows from the top.
    """
    red = [
        (place % width, place // width)
        for place in range(width * height)
        if pixels[3 * place] > 200 and pixels[3 * place + 1] < 60 and pixels[3 * place + 2] < 60
    ]
    if not red:
        return []
    left, right = min(x for x, _ in red), max(x for x, _ in red) + 1
    top, bottom = min(y for _, y in red), max(y for _, y in red) + 1
    box = (left / width, top / height, (right - left) / width, (bottom - top) / height)
    return [("sportsBall", *box, 1.0)]


def main():
    source, target = sys.stdin.buffer, sys.stdout
    # A line or a picture that is cut short is the end, too.
    while (line := source.readline()).endswith(b"\n"):
        word, width, height = line.split()
        if word != b"frame":
            sys.exit("not a frame: %r" % line)
        width, height = int(width), int(height)
        pixels = source.read(3 * width * height)
        if len(pixels) < 3 * width * height:
            return
        found = objects(width, height, pixels)
        print("objects", len(found), file=target)
        for kind, x, y, w, h, certainty in found:
            print(kind, x, y, w, h, certainty, file=target)
        target.flush()


try:
    main()
except BrokenPipeError:
    # The command was ended. What is left to be written goes nowhere, or Python would complain of it at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
