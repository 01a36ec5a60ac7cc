/**
 * The public types of a package as one text, so that a review shows their changes.
 *
 * Reports are kept in docs/api. API Extractor makes them from `dist`, with its own compiler. They do not describe
 * behaviour.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage } from "@microsoft/api-extractor"

const silent = { default: { logLevel: ExtractorLogLevel.None } }

const compilerOptions = {
  allowImportingTsExtensions: true,
  module: "nodenext",
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  target: "es2024",
  types: ["node"]
}

/** Path of the report of a package, from the root of the repository. */
export const pathOf = (home: string): string => `docs/api/${Path.posix.basename(home)}.api.md`

/** The declarations of the main entry of a package, as it is published. */
const entryOf = (folder: string): string => {
  const { publishConfig } = JSON.parse(Fs.readFileSync(Path.join(folder, "package.json"), "utf8"))
  const main = publishConfig.exports["."]
  const file: string = typeof main === "string" ? main.replace(/\.js$/, ".d.ts") : main.import.types
  return Path.join(folder, file)
}

/** Writes the report of a package that was built. */
export const make = (folder: string): string => {
  const scratch = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-api-"))
  const entry = entryOf(folder)
  try {
    const config = ExtractorConfig.prepare({
      configObject: {
        projectFolder: folder,
        mainEntryPointFilePath: entry,
        compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
        apiReport: {
          enabled: true,
          includeForgottenExports: true,
          reportFileName: "report.api.md",
          reportFolder: scratch,
          reportTempFolder: Path.join(scratch, "temp")
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: silent,
          extractorMessageReporting: silent,
          tsdocMessageReporting: silent
        },
        newlineKind: "lf"
      },
      configObjectFullPath: Path.join(folder, "api-extractor.json"),
      packageJsonFullPath: Path.join(folder, "package.json")
    })
    const messageCallback = (message: ExtractorMessage): void => {
      message.handled = true
    }
    Extractor.invoke(config, { localBuild: true, messageCallback })
    return Fs.readFileSync(Path.join(scratch, "report.api.md"), "utf8")
  } finally {
    Fs.rmSync(scratch, { recursive: true, force: true })
  }
}
