/** Exercises the undos of a pack. */
import * as UndoDrill from "@backstitch/release/UndoDrill"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as PackFile from "@backstitch/runtime/PackFile"
import type * as UndoProof from "@backstitch/runtime/UndoProof"
import * as ShownText from "@backstitch/wording/ShownText"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./drill.ts"

const colours: Readonly<Record<UndoProof.Proof, (text: string) => string>> = {
  proven: Terminal.good,
  stale: Terminal.wary,
  changed: Terminal.wary,
  never: Terminal.wary,
  failed: Terminal.bad
}

const print = (summary: UndoDrill.Summary): void => {
  const { calls, isDry, missing, pack, proofs } = summary
  if (calls.length > 0) {
    const rows = calls.map(({ by, params, tool }) => [Terminal.name(tool), Terminal.name(by), JSON.stringify(params)])
    TextTable.print(rows, { header: ["CALLS", "THEN", "ARGUMENTS"] })
    Terminal.print()
  }
  if (missing.length > 0) {
    const tools = missing.map(Terminal.name).join(", ")
    TextTable.sentence(
      Terminal.wary("NO ARGUMENTS:"),
      `${tools}. Add a test to the pack that expects \`allowed: true\`, or name a run that made the call with --from`
    )
    Terminal.print()
  }
  const rows = proofs.map(({ by, drill, standing, tool }) => [
    Terminal.name(tool),
    Terminal.name(by),
    colours[standing](standing),
    drill === undefined ? "" : ShownText.moment(drill.at),
    drill?.run ?? ""
  ])
  TextTable.print(rows, { header: ["UNDO OF", "BY", "PROOF", "ENDED", "RUN"] })
  const proven = proofs.filter(({ standing }) => standing === "proven").length
  const word = UndoDrill.isProven(summary) ? Terminal.good("DRILL:") : Terminal.wary("DRILL:")
  const dry = isDry ? " | nothing was called: --yes calls the tools" : ""
  Terminal.print(`${word} ${pack} | undos=${proofs.length} | proven=${proven}${dry}`)
}

/** Prints the standing of each undo, after the drills that were asked for; 1 if one is not proven. */
export const handler: Handler<Input> = Effect.fnUntraced(function* (input, globals) {
  const pack = yield* PackFile.load(input.file)
  const tenant = yield* StoreSession.tenant(globals)
  const sandbox = input.agent === undefined ? undefined : yield* AgentFile.load(input.agent)
  const asked = { from: input.from, sandbox: sandbox?.pack, tools: input.tools, yes: input.yes }
  const drilling = UndoDrill.run(tenant, pack, asked)
  const summary = yield* sandbox === undefined
    ? Effect.provide(drilling, StoreSession.writing(globals))
    : Effect.provide(drilling, StoreSession.beginning(globals, sandbox))
  return Printer.answer(summary, () => print(summary), ExitCode.of(UndoDrill.isProven(summary)))
})
