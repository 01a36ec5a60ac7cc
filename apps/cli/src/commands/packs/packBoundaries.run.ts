/** Draws candidate boundaries of subtasks. */
import * as BoundaryCandidates from "@backstitch/contracts/BoundaryCandidates"
import type * as Machine from "@backstitch/contracts/Machine"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./packBoundaries.ts"

const moves = (edges: ReadonlyArray<Machine.Edge>): string =>
  edges.map(({ from, to, tool }) => `${from} → ${to} by ${tool}`).join(", ") || "none"

const print = (
  candidates: ReadonlyArray<BoundaryCandidates.BoundaryCandidate>,
  load: BoundaryCandidates.Load
): void => {
  for (const { commits, drift, effects, entry, exits, inputs, pending, skeleton, states, tools } of candidates) {
    const isSigned = !pending.includes("skeleton")
    Terminal.print(`${Terminal.bold(skeleton)}${isSigned ? "" : `  ${Terminal.wary("no skeleton is signed")}`}`)
    Terminal.print(`  tools    ${tools.join(", ")}`)
    Terminal.print(`  states   ${states.join(", ") || "none"}`)
    Terminal.print(`  entry    ${entry.join(", ") || "none"}`)
    Terminal.print(`  commit   ${moves(commits)}`)
    Terminal.print(`  exit     ${moves(exits)}`)
    Terminal.print(`  inputs   ${inputs.join(", ") || "none"}`)
    Terminal.print(`  effects  ${effects}`)
    if (isSigned && pending.length > 0)
      Terminal.print(`  ${Terminal.wary("pending")}  ${pending.join(", ")}: no condition is signed`)
    for (const { candidate, field, reviewed } of drift) {
      const more = candidate.length === 0 ? "" : ` only the candidate has ${candidate.join(", ")}`
      const less = reviewed.length === 0 ? "" : ` only the pack has ${reviewed.join(", ")}`
      Terminal.print(`  ${Terminal.wary("drift")}    ${field}:${[more, less].filter(Boolean).join(";")}`)
    }
  }
  const { commits, edges, exits, pending, skeletons, states } = load
  const counts = `skeletons=${skeletons} | commit=${commits} | exit=${exits} | pending=${pending}`
  Terminal.print(`${Terminal.good("TO REVIEW:")} ${counts} | states=${states} | edges=${edges}`)
}

/** Prints the candidates; 1 where a reviewed skeleton differs from its candidate, or a condition is missing. */
export const handler: Handler<Input> = ({ file }) =>
  Effect.gen(function* () {
    const pack = yield* PackFile.load(file)
    if (pack.machine === undefined) {
      return yield* new Usage({ problem: `${file} declares no machine, from which boundaries could be drawn` })
    }
    const candidates = BoundaryCandidates.of(pack)
    const load = BoundaryCandidates.load(pack)
    return Printer.answer(
      { file, load, candidates },
      () => print(candidates, load),
      ExitCode.of(BoundaryCandidates.isReviewed(candidates))
    )
  })
