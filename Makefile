# SPDX-License-Identifier: Apache-2.0

.PHONY: runtime demo test tests references build portable setup format lint sanitize validate endure attack bench fuzz fuzz-coverage docs clean

SWIFT ?= swift
DEMO  ?= demo

# One set of flags for the program and the tests, or each would compile everything again; `swift test` puts the second of
# them elsewhere on the compiler's command line, so tests are built by `swift build` and only run by it. A release
# build: the kernels are loops that only the optimiser makes fast.
FLAGS := -c release -Xswiftc -enable-testing
BUILD_TESTS := $(SWIFT) build $(FLAGS) --build-tests --disable-xctest
RUN_TESTS   := $(SWIFT) test $(FLAGS) --disable-xctest --skip-build
PROGRAM      = $$($(SWIFT) build $(FLAGS) --show-bin-path)/focal

# Builds a release, makes the sample clip, renders it, and says where the results lie.
demo: build
	@Scripts/demo "$(PROGRAM)" "$(DEMO)"

# Every test, the formatting check and the embedding examples.
test: setup lint runtime tests
	Scripts/test $(RUN_TESTS)
	$(SWIFT) run -c release --package-path Examples/Embed Embed
	$(SWIFT) run -c release --package-path Examples/Embed OpenCLInterop
	$(SWIFT) run -c release --package-path Examples/Embed VulkanInterop

build: setup
	$(SWIFT) build $(FLAGS) --product focal

tests: setup
	$(BUILD_TESTS)

# Renders the reference frames of the tests anew. Look at what changed before you commit it.
references: tests
	FOCAL_UPDATE_REFERENCES=1 $(RUN_TESTS) --filter ReferenceFrameTests
	@git status --short Tests/RenderingTests/References

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
validate: tests
	FOCAL_VULKAN_VALIDATION=1 $(RUN_TESTS) --filter VulkanTests

# Long forms of tests: numbered renderings killed at 20 moments and resumed, 200 scripts with random
# changes exported with them and after they are applied, recordings killed at 20 moments, 100 recordings with
# another aperture each.
endure: tests
	FOCAL_KILLS=20 FOCAL_SCRIPTS=200 FOCAL_CAPTURE_COUNT=100 $(RUN_TESTS) \
	  --filter 'SequenceTests/killed|AppliedChangeTests|CaptureCommandTests/killed|RecordingTests'

# Attacks that take minutes: damaged copies of movies, pictures, scripts and changes, and exports and imports that
# are killed at seeded moments. COPIES=1000000 and KILLS=50 are the long form.
COPIES ?= 100000
KILLS  ?= 20
attack: build
	@Scripts/attack "$(PROGRAM)" "$(COPIES)" "$(KILLS)"

bench: build
	"$(PROGRAM)" bench

# A million damaged caption files: read, grouped, converted, written, and one in a hundred drawn. As many damaged files of
# boxes, and observations of subjects. `make attack COPIES=1000000 KILLS=0` is that of pictures, movies and scripts.
fuzz: tests
	"$(PROGRAM)" bench-captions --mutations 1000000
	FOCAL_FUZZ_COUNT=1000000 $(RUN_TESTS) --filter 'ObservationFuzzTests|HostileFileTests/mutatedFiles'

# Inputs chosen by the code that they reach, by libFuzzer, which Swift's compiler has on Linux.
FUZZ_RUNS ?= 1000000
fuzz-coverage: build
	SWIFT="$(SWIFT)" Scripts/fuzz "$(PROGRAM)" "$(FUZZ_RUNS)"

# The reference pages of the public modules, as static pages.
docs:
	$(SWIFT) package --allow-writing-to-directory .build/docs generate-documentation \
	  --target FocalCore --target FocalRendering --target FocalCPU --target FocalOpenCL \
	  --target FocalVulkan --target FocalDevices --target FocalBoxes --target FocalMedia \
	  --target FocalCinematic --target FocalScript --target FocalCaptions \
	  --target FocalCaptionRendering --target FocalEditing --target FocalEditor --target FocalEyes \
	  --target FocalSubjects --target FocalImport --target FocalCapture --target FocalSample \
	  --output-path .build/docs

clean:
	rm -rf .build .build-asan .build-tsan .build-fuzz .build-portable Examples/Embed/.build $(DEMO)
