# SPDX-License-Identifier: Apache-2.0

.PHONY: demo test build setup format lint sanitize bench docs clean

SWIFT ?= swift
DEMO  ?= demo

# Builds a release, makes the sample clip, renders it, and says where the results lie.
demo: build
	@Scripts/demo "$$($(SWIFT) build -c release --show-bin-path)/focal" "$(DEMO)"

# Every test, the formatting check and the embedding example. A release build: the kernels are loops
# that only the optimiser makes fast.
test: setup lint
	$(SWIFT) test -c release --disable-xctest -Xswiftc -enable-testing
	$(SWIFT) run -c release --package-path Examples/Embed

build: setup
	$(SWIFT) build -c release --product focal

# Installs the system packages that are missing and names them.
setup:
	@Scripts/setup

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Examples

format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Examples

# The test suite under the address and undefined-behaviour sanitizers, one after the other. The
# second traps at the faulty instruction: Swift links no runtime for it on Linux. Leaks are off: the
# test runner has some of its own.
sanitize: setup
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --scratch-path .build-asan --disable-xctest \
	  --sanitize=address
	$(SWIFT) test --scratch-path .build-ubsan --disable-xctest \
	  -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined

bench: build
	$(SWIFT) run -c release focal bench

# The reference pages of the public modules, as static pages.
docs:
	$(SWIFT) package --allow-writing-to-directory .build/docs generate-documentation \
	  --target FocalCore --target FocalRendering --target FocalCPU --target FocalMedia \
	  --target FocalBoxes --target FocalCinematic \
	  --target FocalScript --target FocalSample \
	  --output-path .build/docs

clean:
	rm -rf .build .build-asan .build-ubsan $(DEMO)
