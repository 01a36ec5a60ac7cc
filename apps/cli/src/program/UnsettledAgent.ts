/**
 * Reports an agent whose code never settles, ends the process, or throws where nothing waits for it.
 */
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Terminal from "../terminal/Terminal.ts"

interface Asked {
  readonly debug: boolean
  readonly json: boolean
}

let isFinished = false

/** Marks the command as finished. */
export const finished = (): void => {
  isFinished = true
}

/** Watches from the beginning of a command. Committed transitions are on record, however the process ends. */
export const watch = (asked: Asked): void => {
  process.on("uncaughtException", (error: unknown) => {
    const line = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    tell(`code of the agent failed where nothing waited for it (${line.split("\n")[0]})`, asked)
    if (asked.debug && error instanceof Error) Terminal.note(error.stack ?? "")
    else Terminal.note("Catch it there. --debug prints where it was")
    leave()
  })
  // No pending event is left.
  process.once("beforeExit", () => {
    if (isFinished) return
    tell("the agent waits for something that never comes: no timer, request or process is left", asked)
    leave()
  })
  process.once("exit", (code) => {
    if (isFinished || code !== ExitCode.success) return
    tell("the agent ended the process in the middle of a command", asked)
    process.exitCode = ExitCode.failure
  })
}

const tell = (message: string, { json }: Asked): void => {
  Terminal.complain(message)
  if (json) Terminal.document({ error: { tag: "Abandoned", message } })
}

const leave = (): void => {
  isFinished = true
  process.exit(ExitCode.failure)
}
