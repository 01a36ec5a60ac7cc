/** Routes for the keys of a tenant. */

import { KeyRole } from "@backstitch/trace/KeyRole"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Paths from "../form/Paths.ts"
import * as WriteHeaders from "../form/WriteHeaders.ts"
import * as Limits from "../Limits.ts"

/** The roles of packs in which the holder of a key may decide. */
const Capacities = Schema.Array(Paths.Name).check(Schema.isMaxLength(Limits.refusing.capacitiesMax))

/** A key without its text, which is shown once and kept by nobody but its holder. */
export const Key = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  role: KeyRole,
  capacities: Schema.Array(Schema.String),
  created: Schema.String,
  revoked: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Key" })

const list = HttpApiEndpoint.get("list", "/keys", { success: Schema.Struct({ keys: Schema.Array(Key) }) })

/** A key that was made, with its text. */
export const Made = Schema.Struct({ key: Key, text: Schema.String }).annotate({ identifier: "MadeKey" })

const create = HttpApiEndpoint.post("create", "/keys", {
  headers: WriteHeaders.named,
  payload: Schema.Struct({ name: Paths.Name, role: KeyRole, capacities: Schema.optionalKey(Capacities) }),
  success: Made.pipe(HttpApiSchema.status(201))
})

const revoke = HttpApiEndpoint.delete("revoke", "/keys/:key", {
  headers: WriteHeaders.named,
  params: { key: Paths.Name },
  success: Key
})

const whoami = HttpApiEndpoint.get("whoami", "/caller", {
  success: Schema.Struct({
    tenant: Schema.String,
    name: Schema.String,
    role: KeyRole,
    capacities: Schema.Array(Schema.String)
  })
})

/** The group of these routes. */
export const group = HttpApiGroup.make("keys")
  .add(Access.by("admin", "List the keys of the tenant")(list))
  .add(Access.by("admin", "Make a key, whose text is shown once")(create))
  .add(Access.by("admin", "Revoke a key")(revoke))
  .add(Access.by("viewer", "Say whom the server recognises in the caller")(whoami))
  .annotate(OpenApi.Title, "Keys")
