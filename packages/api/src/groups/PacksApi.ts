/** Routes for packs: those that the tenant works under, and the check of one that a reviewer is about to sign. */
import type * as PackCheck from "@backstitch/runtime/PackCheck"
import type * as PackList from "@backstitch/runtime/PackList"
import * as Digest from "@backstitch/trace/Digest"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "../form/Access.ts"
import * as Document from "../form/Document.ts"
import * as Limits from "../Limits.ts"

const fields = {
  digest: Schema.String,
  pack: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  agents: Schema.Array(Schema.String),
  runs: Schema.Finite
} as const

/** A pack at a glance: its name, the agents that have it, and how many runs began under it. */
export const Pack = Document.of<PackList.Listed>()("Pack", fields)

const list = HttpApiEndpoint.get("list", "/packs", { success: Schema.Struct({ packs: Schema.Array(Pack) }) })

/** A pack with its definition, and the first of the runs that began under it. */
export const ShownPack = Document.of<PackList.ShownPack>()("ShownPack", {
  ...fields,
  begun: Schema.Array(Schema.String)
})

const show = HttpApiEndpoint.get("show", "/packs/:digest", { params: { digest: Digest.Digest }, success: ShownPack })

/** The findings about a pack, as `pack check --json` has them, with those of `audit --json` if it can be read. */
export const CheckedPack = Document.of<PackCheck.Document & { readonly audit: Schema.JsonObject | null }>()(
  "CheckedPack",
  {
    file: Schema.String,
    ok: Schema.Boolean,
    pack: Schema.NullOr(Schema.String),
    version: Schema.NullOr(Schema.String),
    digest: Schema.NullOr(Schema.String),
    impure: Schema.Array(Schema.String),
    untried: Schema.Array(Schema.String),
    notEnforced: Schema.Array(Schema.String),
    audit: Schema.NullOr(Document.part<Schema.JsonObject>())
  }
)

const check = HttpApiEndpoint.post("check", "/packs/check", {
  payload: Schema.Struct({
    /** The text of the pack, in YAML. */
    text: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(Limits.refusing.packCharactersMax))
  }),
  success: CheckedPack
})

/** The group of these routes. */
export const group = HttpApiGroup.make("packs")
  .add(Access.by("viewer", "List the packs of the agents, and those under which runs began")(list))
  .add(Access.by("viewer", "Show a pack")(show))
  .add(Access.by("viewer", "Say what is wrong in a pack, without running any of it")(check.annotate(Access.Dear, true)))
  .annotate(OpenApi.Title, "Packs")
