/** Flags that name witnesses and the required number of cosignatures: a file with a policy, or keys and a number. */
import { readFile } from "node:fs/promises"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as WitnessPolicy from "@backstitch/transparency/WitnessPolicy"
import * as Effect from "effect/Effect"
import { Usage } from "../../terminal/Failure.ts"

/** The flags of witnesses, as they were typed. */
export interface TypedWitnesses {
  readonly policy?: string | undefined
  readonly witness?: ReadonlyArray<string>
  readonly quorum?: number | undefined
}

/** Reads the policy from the flags; nothing if none was given. */
export const policy = Effect.fnUntraced(function* ({ policy: file, quorum, witness = [] }: TypedWitnesses) {
  if (file !== undefined && (witness.length > 0 || quorum !== undefined)) {
    return yield* new Usage({
      problem: "--policy names the witnesses and their quorum: leave --witness and --quorum out"
    })
  }
  if (file === undefined && witness.length === 0) {
    if (quorum === undefined) return undefined
    return yield* new Usage({ problem: "--quorum says how many of the witnesses that --witness names: name some" })
  }
  if (file === undefined) {
    return yield* Effect.mapError(
      Effect.fromResult(WitnessPolicy.ofWitnesses(witness, quorum ?? witness.length)),
      ({ found, place, reason }) =>
        new Usage({
          problem: place === undefined ? `--quorum ${found}: ${reason}` : `--witness ${place} "${found}": ${reason}`
        })
    )
  }
  return yield* Effect.mapError(
    Effect.fromResult(WitnessPolicy.parse(yield* textOf(file))),
    ({ message }) => new Usage({ problem: `${file}: ${message}` })
  )
})

const textOf = (file: string) =>
  Effect.tryPromise({
    try: async () => SourceFile.exactText(await readFile(file)),
    catch: (cause) => FileProblem.unreadable(file, cause)
  })
