// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia

@main
struct FocalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "focal",
    abstract: "Cinematic depth of field for pictures and clips with a disparity map.",
    discussion: """
      To try it: focal sample -o sample, then the command that it prints. \(exitCodeHelp)
      """,
    version: programVersion,
    subcommands: [
      RenderCommand.self, SampleCommand.self, CompareCommand.self, ScriptCommand.self,
      ImportCommand.self, EstimateCommand.self, LiftCommand.self, InfoCommand.self,
      ExtractCommand.self,
      ThumbnailCommand.self,
      ExportCommand.self, EditCommand.self, ApplyCommand.self, BenchSeekCommand.self,
      BenchSteadyCommand.self,
      BenchExportCommand.self, BenchScriptCommand.self, BenchCaptionsCommand.self,
      BenchDamageCommand.self, BenchEstimateCommand.self,
      CaptionsCommand.self, CaptureCommand.self,
    ] + engineCommands)

  static func main() {
    PictureOutput.use(ending: "png") { picture, path throws(CinematicError) in
      try PictureWriter.write(picture, to: path, overwrite: true)
    }
    runProgram(Self.self)
  }
}
