# SPDX-License-Identifier: Apache-2.0

.PHONY: demo test build setup format lint sanitize bench docs clean

SWIFT ?= swift
DEMO  ?= demo

# Builds a release, makes the sample clip, renders it, and says where the results lie.
demo: build
	@Scripts/demo "$$($(SWIFT) build -c release --show-bin-path)/focal" "$(DEMO)"

# Every test, the formatting check and the embedding example.
test: setup lint
	@# Release: the kernels are C and C++-like loops that only an optimised build runs at speed.
	$(SWIFT) test -c release --disable-xctest
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

# The test suite under the address and undefined-behaviour sanitizers, one after the other.
sanitize: setup
	$(SWIFT) test --scratch-path .build-asan --disable-xctest --sanitize=address
	$(SWIFT) test --scratch-path .build-ubsan --disable-xctest --sanitize=undefined

bench: build
	$(SWIFT) run -c release focal bench

# The reference pages of the public modules, as static pages.
docs:
	$(SWIFT) package --allow-writing-to-directory .build/docs generate-documentation \
	  --target FocalCore --target FocalRendering --target FocalCPU --target FocalMedia \
	  --target FocalScript \
	  --output-path .build/docs

clean:
	rm -rf .build .build-asan .build-ubsan $(DEMO)
