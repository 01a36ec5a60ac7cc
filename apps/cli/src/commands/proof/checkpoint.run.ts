/** Logs where the runs stand. */
import * as HeadLog from "@backstitch/runtime/HeadLog"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as WitnessPolicy from "@backstitch/transparency/WitnessPolicy"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./checkpoint.ts"
import * as HeadsLog from "./HeadsLog.ts"
import * as KeyFile from "./KeyFile.ts"
import * as Witnesses from "./Witnesses.ts"

/** A checkpoint with the cosignatures that its policy asks for; fails where these are too few. */
const witnessed = Effect.fnUntraced(function* (
  policy: WitnessPolicy.WitnessPolicy,
  checkpoint: TreeCheckpoint.TreeCheckpoint,
  entries: ReadonlyArray<HeadLog.Entry>
) {
  const answers = yield* Witnesses.cosign(policy.witnesses, checkpoint, HeadLog.leavesOf(entries))
  const problems = answers.flatMap(({ problem, witness }) => (problem === undefined ? [] : [{ problem, witness }]))
  for (const { problem, witness } of problems) Terminal.note(`NOT COSIGNED: witness=${witness} | ${problem}`)
  const signatures = [...checkpoint.signatures, ...answers.flatMap((answer) => answer.signatures)]
  const cosigned = yield* Effect.fromResult(WitnessPolicy.check(policy, { ...checkpoint, signatures }))
  return { checkpoint: { ...checkpoint, signatures }, cosigned, problems }
})

/** Adds to the log and prints its head. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ key, log, origin = "", policy: file }, globals) {
    if (file !== undefined && key === undefined) {
      return yield* new Usage({ problem: "--policy names witnesses, who cosign what is signed: name a --key" })
    }
    const policy = yield* Witnesses.policy({ policy: file })
    const tenant = yield* StoreSession.tenant(globals)
    const name = origin || `backstitch/${tenant}`
    const signer = key === undefined ? undefined : yield* KeyFile.signer(key, name)
    const place = yield* HeadsLog.place(log, globals)
    const entries = yield* HeadsLog.read(place)
    const added = yield* HeadLog.grow(tenant, entries)
    const grown = [...entries, ...added]
    if (grown.length === 0) return yield* StoreSession.nothing(tenant, "nothing was logged")
    const head = HeadLog.headOf(grown)
    const bare = { origin: name, head, extensions: [], signatures: [] }
    const text = yield* Effect.fromResult(TreeCheckpoint.format(bare))
    const signatures = signer === undefined ? [] : [SignedNote.sign(signer, text)]
    // Whatever fails before leaves the log as it was; a witness never sees an entry that is not in it.
    yield* HeadsLog.add(place, added)
    globals.printer.tell(() => Terminal.note(`LOGGED: added=${added.length} | size=${head.size} | log=${place}`))
    const asked = yield* witnessed(policy, { ...bare, signatures }, grown)
    const checkpoint = yield* Effect.fromResult(TreeCheckpoint.format(asked.checkpoint))
    const verifier = signer?.verifier ?? null
    const cosigned = file === undefined ? {} : { cosigned: asked.cosigned, problems: asked.problems }
    const document = { checkpoint, origin: name, ...head, added: added.length, log: place, verifier, ...cosigned }
    return Printer.answer(document, () => {
      Terminal.write(checkpoint)
      Witnesses.tell(asked.cosigned)
      if (verifier !== null) Terminal.note(`KEY: ${verifier}  give it to whoever verifies, as --by`)
    })
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
