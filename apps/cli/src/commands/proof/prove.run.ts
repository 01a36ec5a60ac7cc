/** Makes and checks proofs of fields. */
import { readFile } from "node:fs/promises"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as FileReplacement from "@backstitch/runtime/FileReplacement"
import * as HeadLog from "@backstitch/runtime/HeadLog"
import * as ProofCheck from "@backstitch/runtime/ProofCheck"
import * as ProofExport from "@backstitch/runtime/ProofExport"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as StateProof from "@backstitch/runtime/StateProof"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import * as HeadFlag from "../../input/HeadFlag.ts"
import * as ValueText from "../../output/ValueText.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as AnchorFlags from "./AnchorFlags.ts"
import type { Input } from "./prove.ts"

const { proofs } = English.words

const make = (run: string, field: string, { against, log, out }: Input, globals: Globals) =>
  Effect.gen(function* () {
    if (out !== undefined) yield* FileReplacement.spare(out)
    const place = yield* StoreSession.place(run, globals)
    const logged = against === undefined ? undefined : yield* under(against, log, globals)
    const proof = yield* ProofExport.prove(place.run, { field, tick: place.tick, logged })
    const text = StateProof.encode(proof)
    if (out !== undefined) yield* FileReplacement.write(out, [text])
    const { at, head, value } = proof
    const about = `run=${proof.run.id} | tick=${at} | ${proof.field} is ${shown(value)}`
    // Without a file, the proof itself is printed: the same bytes for people and programs.
    if (out === undefined) Terminal.write(text)
    const names = value === undefined ? yield* ProofExport.beside(place.run, field, at) : undefined
    globals.printer.tell(() => {
      Terminal.note(`${Terminal.bold("PROVED:")} ${about} | head=${head.tick}:${head.link}`)
      if (names !== undefined) Terminal.note(`${Terminal.wary("LOOK:")} ${proofs.fieldMissing({ field, names })}`)
    })
    return out === undefined
      ? Printer.written()
      : Printer.answer({ run: proof.run.id, at, field: proof.field, head, out }, () => {})
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const under = Effect.fnUntraced(function* (against: string, log: string | undefined, globals: Globals) {
  const { checkpoint, entries } = yield* AnchorFlags.covered({ against, log }, globals)
  return { checkpoint, entries: yield* Effect.fromResult(HeadLog.under(entries, checkpoint.head)) }
})

const check = Effect.fnUntraced(function* (file: string, input: Input) {
  const text = yield* Effect.tryPromise({
    try: async () => SourceFile.exactText(await readFile(file)),
    catch: (cause) => FileProblem.unreadable(file, cause)
  })
  const trust = yield* AnchorFlags.trust(input)
  const checked = yield* ProofCheck.check(text, { ...trust, head: input.head })
  const { at, cosigned, field, head, isAbsent, run, value, verdict } = checked
  const state = `run=${run} | tick=${at} | ${field} is ${isAbsent ? "nothing" : shown(value)}`
  return Printer.answer(checked, () => {
    AnchorFlags.tell(cosigned)
    Terminal.print(`${Terminal.good("PROVEN:")} ${verdict} | ${state} | head=${head.tick}:${head.link}`)
  })
})

const shown = (value: Parameters<typeof ValueText.full>[0] | undefined): string =>
  value === undefined ? "nothing" : ValueText.full(value) || "empty"

/** Makes a proof, or checks one. */
export const handler: Handler<Input> = (input, globals) => {
  const { against, by, check: file, field, head, log, out, policy, quorum, run, witness } = input
  const isChecking = [by, head, policy, quorum].some((each) => each !== undefined) || witness.length > 0
  const isMaking = [against, field, log, out, run].some((each) => each !== undefined)
  if (file !== undefined && !isMaking) return Effect.andThen(HeadFlag.check(head), check(file, input))
  if (file === undefined && !isChecking && run !== undefined && field !== undefined) {
    return make(run, field, input, globals)
  }
  const problem =
    "Name a run and a field to prove it, with --against if a tree checkpoint logs it; or a proof with --check, " +
    "and whom you trust with --head, --by, --policy or --witness"
  return Effect.fail(new Usage({ problem }))
}
