/** Logs the heads of the runs. */
import * as HeadLogFile from "@backstitch/runtime/HeadLogFile"
import * as SigningKeyFile from "@backstitch/runtime/SigningKeyFile"
import * as WitnessClient from "@backstitch/runtime/WitnessClient"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as AnchorFlags from "./AnchorFlags.ts"
import type { Input } from "./anchor.ts"
import * as WitnessFlags from "./WitnessFlags.ts"

const notCosigned = ({ problem, witness }: WitnessClient.WitnessRefusal): void =>
  Terminal.note(`NOT COSIGNED: witness=${witness} | ${problem}`)

/** Adds to the log and prints its head. */
export const handler: Handler<Input> = Effect.fnUntraced(
  function* ({ key, log, origin = "", policy: file }, globals) {
    if (file !== undefined && key === undefined) {
      return yield* new Usage({ problem: "--policy names witnesses, who cosign what is signed: name a --key" })
    }
    const policy = yield* WitnessFlags.policy({ policy: file })
    const tenant = yield* StoreSession.tenant(globals)
    const name = origin || `backstitch/${tenant}`
    const signer = key === undefined ? undefined : yield* SigningKeyFile.signer(key, name)
    const place = yield* AnchorFlags.logOf(log, globals)
    const sign = signer && ((text: string) => SignedNote.sign(signer, text))
    const grown = yield* HeadLogFile.grow({ file: place, origin: name, sign, tenant })
    if (grown === undefined) return yield* StoreSession.nothing(tenant, "nothing was logged")
    const { added, checkpoint: bare } = grown
    globals.printer.tell(() => Terminal.note(`LOGGED: added=${added} | size=${bare.head.size} | log=${place}`))
    const asked = policy === undefined ? undefined : yield* WitnessClient.gather(policy, grown, notCosigned)
    const checkpoint = yield* Effect.fromResult(TreeCheckpoint.format(asked?.checkpoint ?? bare))
    const verifier = signer?.verifier ?? null
    const { cosigned, problems } = asked ?? {}
    const document = { checkpoint, origin: name, ...bare.head, added, log: place, verifier, cosigned, problems }
    return Printer.answer(document, () => {
      Terminal.write(checkpoint)
      AnchorFlags.tell(cosigned ?? [])
      if (verifier !== null) Terminal.note(`KEY: ${verifier}  give it to those who verify, as --by`)
    })
  },
  (effect, _, globals) => Effect.provide(effect, StoreSession.reading(globals))
)
