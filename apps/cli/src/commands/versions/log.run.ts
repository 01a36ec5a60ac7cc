/** Shows runs as a graph of forks. */
import * as ForkGraph from "@backstitch/runtime/ForkGraph"
import * as Effect from "effect/Effect"
import * as StoreFile from "../../input/StoreFile.ts"
import * as TickLine from "../../output/TickLine.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as Wrapping from "../../terminal/Wrapping.ts"
import type { Input } from "./log.ts"

const print = ({ lines, omitted }: ForkGraph.ForkGraph): void => {
  const wide = Math.max(0, ...lines.map(({ lanes, run, step }) => lanes.length + addressOf(run, step).length))
  for (const { isHead, lanes, run, step } of lines) {
    if (step === undefined) {
      Terminal.print(Terminal.dim(lanes))
      continue
    }
    const address = addressOf(run, step)
    const gap = " ".repeat(wide - lanes.length - address.length)
    const name = isHead ? Terminal.bold(Terminal.name(address)) : Terminal.name(address)
    const graph = lanes.replace(/[|/]/g, (lane) => Terminal.dim(lane))
    Terminal.print(Wrapping.cut(`${graph} ${name}${gap}  ${TickLine.told(step)}`, Terminal.width))
  }
  if (omitted > 0) Terminal.note(`${omitted} more ticks; see them with --limit`)
}

const addressOf = (run: string, step: ForkGraph.GraphLine["step"]): string => `${run}@${step?.transition.tick ?? ""}`

/** Prints a log. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* (input, globals) {
    const tenant = yield* StoreSession.tenant(globals)
    const run = input.run === undefined ? undefined : yield* StoreSession.find(input.run, globals)
    const log = yield* ForkGraph.read(tenant, { run, limit: input.limit })
    const none = `No runs of tenant ${tenant} in ${StoreFile.place(globals)}`
    return Printer.answer(ForkGraph.shown(log), () => (log.lines.length === 0 ? Terminal.print(none) : print(log)))
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
