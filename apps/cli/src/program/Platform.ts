/** The services for parsing a command line, kept small, because a user notices the first 300 ms of a command. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as EffectTerminal from "effect/Terminal"
import * as Terminal from "../terminal/Terminal.ts"

/** Help and version are answers. Wrong usage is reported by `Failure`, like every other failure. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    Effect.sync(() => {
      const formatter = CliOutput.defaultFormatter({ colors: Terminal.canColor })
      switch (event._tag) {
        case "Help":
          return Terminal.write(`${formatter.formatHelpDoc(marked(event.helpDoc)).trimEnd()}\n`)
        case "Version":
          return Terminal.print(`${event.name} ${event.version}`)
        case "InvalidInvocation":
          return
      }
    })
}

/** Says which flags a command cannot do without: its call names only the arguments. */
const marked = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...doc,
  flags: doc.flags.map((flag) =>
    flag.required ? { ...flag, description: Option.map(flag.description, (says) => `${says} (required)`) } : flag
  )
})

/** Layer of the services, over the process. */
export const layer = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  CliOutput.layerPresenter(presenter),
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.succeed(
    EffectTerminal.Terminal,
    EffectTerminal.make({
      columns: Effect.sync(() => process.stdout.columns ?? 120),
      rows: Effect.sync(() => process.stdout.rows ?? 40),
      size: Effect.die("not asked for"),
      readInput: Effect.die("not asked for"),
      readLine: Effect.die("not asked for"),
      display: (text) => Effect.sync(() => Terminal.write(text))
    })
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => Effect.die("not asked for"))
  )
)
