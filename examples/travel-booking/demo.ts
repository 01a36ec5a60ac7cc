/**
 * The demo: an agent that books a trip is killed at the worst moment, resumed, verified, bisected and forked. It uses
 * the real command line, and a world with a database of its own.
 *
 * `--json` prints the findings instead of the receipt. The exit code is 1 if any claim of the receipt does not hold.
 */
import { performance } from "node:perf_hooks"
import { parseArgs } from "node:util"
import * as Poster from "./demo/Poster.ts"
import * as Stage from "./demo/Stage.ts"
import * as Story from "./demo/Story.ts"

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } })
const tells = process.stderr.isTTY && !values.json

const tell = (text: string): void => {
  if (tells) process.stderr.write(`\r\u001b[2K${text}`)
}

const began = performance.now()
const opening = Stage.open()

let isInterrupted = false
const interrupted = (): void => {
  isInterrupted = true
  const leave = () => process.exit(130)
  void opening.then((stage) => stage.close()).then(leave, leave)
}
process.once("SIGINT", interrupted)
process.once("SIGTERM", interrupted)

const stage = await opening

const perform = async (): Promise<Poster.Performance> => {
  tell("1/3  an agent books a trip, and is killed in the middle of it …")
  const crash = await Story.crash(stage)
  tell("2/3  the chain is verified, and another run breaks a rule …")
  const [{ tampered, verified }, bisected] = await Promise.all([Story.verify(stage, crash), Story.bisect(stage)])
  tell("3/3  a fork from before it …")
  const forked = await Story.fork(stage, bisected)
  tell("")
  return { crash, verified, tampered, bisected, forked, seconds: (performance.now() - began) / 1000 }
}

try {
  const performed = await perform()
  const colours = process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === ""
  process.stdout.write(
    values.json ? `${JSON.stringify(performed)}\n` : `${Poster.render(performed, Poster.ink(colours))}`
  )
} catch (error) {
  tell("")
  if (!isInterrupted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await stage.close()
}
