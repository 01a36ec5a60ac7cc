/** The identity of a run: a name within a tenant. */
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

const { runNameCharactersMax, tenantNameCharactersMax } = Limits.refusing

const named = (charactersMax: number) => new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${charactersMax - 1}}$`)

/** Name of a run within its tenant: letters, digits, `.`, `_`, `-`, beginning with a letter or digit. */
export const RunId = Schema.String.check(Schema.isPattern(named(runNameCharactersMax))).pipe(
  Schema.brand("@backstitch/trace/RunId")
)

/** Name of a run within its tenant. */
export type RunId = typeof RunId.Type

/** A party whose runs and names are separate from all others (L15). */
export const Tenant = Schema.String.check(Schema.isPattern(named(tenantNameCharactersMax))).pipe(
  Schema.brand("@backstitch/trace/Tenant")
)

/** A party whose runs and names are separate from all others (L15). */
export type Tenant = typeof Tenant.Type

/** A run with its tenant. */
export const Run = Schema.Struct({ tenant: Tenant, id: RunId })

/** A run with its tenant. */
export interface Run {
  readonly tenant: Tenant
  readonly id: RunId
}

/** Error for a text that cannot be the name of a run or a tenant. */
export class NameInvalid extends Schema.TaggedError<NameInvalid>("@backstitch/trace/NameInvalid")("NameInvalid", {
  given: Schema.String,
  of: Schema.Literals(["run", "tenant"])
}) {
  override get message(): string {
    const most = this.of === "run" ? runNameCharactersMax : tenantNameCharactersMax
    return (
      `${JSON.stringify(this.given)} cannot name a ${this.of}. Names begin with a letter or digit, and hold up to ` +
      `${most} letters, digits, dots, hyphens and underscores`
    )
  }
}

/** Names a run. Throws {@link NameInvalid} for an invalid name. */
export const make = (id: string, tenant = "default"): Run => {
  if (!Schema.is(Tenant)(tenant)) throw new NameInvalid({ given: tenant, of: "tenant" })
  if (!Schema.is(RunId)(id)) throw new NameInvalid({ given: id, of: "run" })
  return { tenant, id }
}

/** Tells whether two names are those of the same run. */
export const same = (left: Run, right: Run): boolean => left.tenant === right.tenant && left.id === right.id
