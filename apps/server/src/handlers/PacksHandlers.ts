/** Answers about packs. No code of a pack runs here: it is read, and what it says is compared. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as PackAudit from "@backstitch/release/PackAudit"
import * as PackCheck from "@backstitch/runtime/PackCheck"
import * as PackList from "@backstitch/runtime/PackList"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Schema from "effect/Schema"
import { answer } from "../answer/Answering.ts"
import * as ServedAgents from "../store/ServedAgents.ts"

const served = Effect.map(
  ServedAgents.ServedAgents,
  (agents): PackList.Served => new Map([...agents].map(([name, { pack }]) => [name, pack]))
)

/** The name of a posted pack in its findings. */
const file = "pack.yaml"

const checked = (text: string) => {
  const found = PackCheck.text(text, file)
  const audit = found.pack === undefined ? null : (PackAudit.of(found.pack) as object as Schema.JsonObject)
  return { ...PackCheck.documentOf(found, file), audit }
}

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "packs", (group) =>
  group.handleAll({
    list: () =>
      answer(
        Effect.fnUntraced(function* ({ tenant }) {
          return { packs: yield* PackList.ofTenant(tenant, yield* served) }
        })
      ),
    show: ({ params: { digest } }) =>
      answer(
        Effect.fnUntraced(function* ({ tenant }) {
          return yield* PackList.show(tenant, digest, yield* served)
        })
      ),
    check: ({ payload: { text } }) => answer(() => Effect.sync(() => checked(text)))
  })
)
