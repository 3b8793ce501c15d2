# SPDX-License-Identifier: Apache-2.0

.PHONY: runtime demo test build portable setup format lint sanitize validate endure attack bench fuzz fuzz-coverage docs clean

SWIFT ?= swift
DEMO  ?= demo

# Builds a release, makes the sample clip, renders it, and says where the results lie.
demo: build
	@Scripts/demo "$$($(SWIFT) build -c release --show-bin-path)/focal" "$(DEMO)"

# Every test, the formatting check and the embedding examples. A release build: the kernels are loops
# that only the optimiser makes fast.
test: setup lint runtime
	Scripts/test $(SWIFT) test -c release --disable-xctest -Xswiftc -enable-testing
	$(SWIFT) run -c release --package-path Examples/Embed Embed
	$(SWIFT) run -c release --package-path Examples/Embed OpenCLInterop
	$(SWIFT) run -c release --package-path Examples/Embed VulkanInterop

build: setup
	$(SWIFT) build -c release --product focal

# `focal` without media files and with nothing to install beside it: .build-portable/focal runs
# devices, conform and bench on any Linux of the same processor with glibc 2.36 or newer.
portable: setup
	$(SWIFT) build -c release --product focal-portable --scratch-path .build-portable \
	  --static-swift-stdlib -Xlinker -s
	@cp "$$($(SWIFT) build -c release --scratch-path .build-portable --show-bin-path)/focal-portable" \
	  .build-portable/focal
	@ls -l .build-portable/focal

# Installs the system packages that are missing and names them.
setup:
	@Scripts/setup

# For the tests of models and of the editor's page; without a network they are skipped.
runtime:
	@Scripts/onnxruntime
	@Scripts/browser

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Plugins Sources Tests Examples

format:
	$(SWIFT) format --in-place --recursive Package.swift Plugins Sources Tests Examples

# The test suite under the address and the undefined-behaviour sanitizer, and what runs on several threads under the thread
# sanitizer. Scripts/sanitize takes one of both, and a filter.
sanitize: setup
	SWIFT="$(SWIFT)" Scripts/sanitize memory
	SWIFT="$(SWIFT)" Scripts/sanitize threads

# The Vulkan backend's tests with the validation layer watching.
validate: setup
	FOCAL_VULKAN_VALIDATION=1 $(SWIFT) test -c release --disable-xctest -Xswiftc -enable-testing \
	  --filter VulkanTests

# Long forms of tests: numbered renderings killed at 20 moments and resumed, 200 scripts with random
# changes exported with them and after they are applied, recordings killed at 20 moments, 100 recordings with
# another aperture each.
endure: setup
	FOCAL_KILLS=20 FOCAL_SCRIPTS=200 FOCAL_CAPTURE_COUNT=100 $(SWIFT) test -c release --disable-xctest \
	  -Xswiftc -enable-testing --filter 'SequenceTests/killed|AppliedChangeTests|CaptureCommandTests/killed|RecordingTests'

# Attacks that take minutes: damaged copies of movies, pictures, scripts and changes, and exports and imports that
# are killed at seeded moments. COPIES=1000000 and KILLS=50 are the long form.
COPIES ?= 100000
KILLS  ?= 20
attack: build
	@Scripts/attack "$$($(SWIFT) build -c release --show-bin-path)/focal" "$(COPIES)" "$(KILLS)"

bench: build
	$(SWIFT) run -c release focal bench

# A million damaged caption files: read, grouped, converted, written, and one in a hundred drawn. As many damaged files of
# boxes, and observations of subjects. `make attack COPIES=1000000 KILLS=0` is that of pictures, movies and scripts.
fuzz: build
	$(SWIFT) run -c release focal bench-captions --mutations 1000000
	FOCAL_FUZZ_COUNT=1000000 $(SWIFT) test -c release --disable-xctest \
	  -Xswiftc -enable-testing --filter 'ObservationFuzzTests|HostileFileTests/mutatedFiles'

# Inputs chosen by the code that they reach, by libFuzzer, which Swift's compiler has on Linux.
FUZZ_RUNS ?= 1000000
fuzz-coverage: build
	SWIFT="$(SWIFT)" Scripts/fuzz "$$($(SWIFT) build -c release --show-bin-path)/focal" "$(FUZZ_RUNS)"

# The reference pages of the public modules, as static pages.
docs:
	$(SWIFT) package --allow-writing-to-directory .build/docs generate-documentation \
	  --target FocalCore --target FocalRendering --target FocalCPU --target FocalOpenCL \
	  --target FocalVulkan --target FocalDevices --target FocalBoxes --target FocalMedia \
	  --target FocalCinematic --target FocalScript --target FocalCaptions \
	  --target FocalCaptionRendering --target FocalEditing --target FocalEditor --target FocalEyes \
	  --target FocalSubjects --target FocalCapture --target FocalSample \
	  --output-path .build/docs

clean:
	rm -rf .build .build-asan .build-tsan .build-fuzz .build-portable $(DEMO)
