/**
 * Logs where the runs stand.
 *
 * @since 0.1.0
 */
import * as Anchoring from "@backstitch/runtime/Anchoring"
import * as SignedNote from "@backstitch/trace/SignedNote"
import * as TreeCheckpoint from "@backstitch/trace/TreeCheckpoint"
import * as Effect from "effect/Effect"
import type { Input } from "../commands/checkpoint.ts"
import type { Handler } from "../Handler.ts"
import * as HeadsLog from "../HeadsLog.ts"
import * as KeyFile from "../KeyFile.ts"
import * as Session from "../Session.ts"
import * as Terminal from "../Terminal.ts"

/**
 * Adds to the log and prints its head.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ key, log, origin = "" }, globals) {
    const tenant = yield* Session.tenant(globals)
    const name = origin || `backstitch/${tenant}`
    const signer = key === undefined ? undefined : yield* KeyFile.signer(key, name)
    const file = yield* HeadsLog.place(log, globals)
    const entries = yield* HeadsLog.read(file)
    const added = yield* Anchoring.grow(tenant, entries)
    const head = Anchoring.headOf([...entries, ...added])
    const bare = { origin: name, head, extensions: [], signatures: [] }
    const text = yield* Effect.fromResult(TreeCheckpoint.format(bare))
    const signatures = signer === undefined ? [] : [SignedNote.sign(signer, text)]
    const checkpoint = yield* Effect.fromResult(TreeCheckpoint.format({ ...bare, signatures }))
    // The log is written last: whatever fails before leaves it as it was.
    yield* HeadsLog.add(file, added)
    const verifier = signer?.verifier ?? null
    if (globals.json) {
      Terminal.document({ checkpoint, origin: name, ...head, added: added.length, log: file, verifier })
      return 0
    }
    Terminal.write(checkpoint)
    Terminal.note(`LOGGED: added=${added.length} | size=${head.size} | log=${file}`)
    if (verifier !== null) Terminal.note(`KEY: ${verifier}  give it to whoever verifies, as --by`)
    return 0
  },
  (effect, _, globals) => Effect.provide(effect, Session.reading(globals))
)
