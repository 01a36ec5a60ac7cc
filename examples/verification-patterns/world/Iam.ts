/**
 * Identities and their rights: principals, roles that bundle scopes, a versioned policy, an audit log, and tokens.
 *
 * A grant gives a role that holds the scope, so that more scopes may come with it. A directory may resolve a name to
 * a merged account. A token carries the version of the policy at the time of its creation.
 */
import type { Json } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"
import type { Tenant } from "./Tenant.ts"

const list = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const policyVersion = (tenant: Tenant): number => Number(tenant.get("policy", "main")?.["version"] ?? 0)

const grant = ({ actor, body, tenant, trace }: Router.Request): Router.Reply => {
  const name = String(body["principal"])
  const principal = String(tenant.get("aliases", name)?.["to"] ?? name)
  const asked = list(body["scopes"])
  const wanted = asked.flatMap((scope) => list(tenant.get("roles", String(scope))?.["scopes"] ?? [scope]))
  const before = list(tenant.get("principals", principal)?.["scopes"])
  const diff = wanted.filter((scope) => !before.includes(scope))
  const version = policyVersion(tenant) + 1
  tenant.put("policy", "main", { version })
  tenant.patch("principals", principal, {
    scopes: [...before, ...diff],
    diff,
    approval: body["approval"] ?? null,
    actor
  })
  if (tenant.setting("auditFull") !== true) tenant.add("audit", { trace, actor, principal, scopes: diff })
  // Tokens are created again from the policy, unless the old ones are kept.
  if (tenant.setting("keepsTokens") !== true) tenant.put("tokens", principal, { version })
  const rollout = tenant.setting("publishes")
  if (rollout === true) tenant.put("policy", "main", { version: version + 1 })
  if (rollout === true) tenant.put("tokens", principal, { version: version + 1 })
  return Router.json({ principal, version })
}

/** The directory. */
export const service: Router.Service = {
  "POST /grants": grant,
  "GET /principals/:id": ({ path, tenant }) => {
    const principal = tenant.get("principals", path["id"] ?? "")
    return principal === undefined
      ? Router.missing
      : Router.json({ ...principal, principal: path["id"] ?? "", policyVersion: policyVersion(tenant) })
  },
  "GET /policy": ({ tenant }) => Router.json({ version: policyVersion(tenant) }),
  "GET /audit": ({ query, tenant }) =>
    Router.json(
      tenant.all("audit").flatMap(({ body }) => (body["principal"] === query.get("principal") ? [body] : []))
    ),
  "GET /tokens/:principal": ({ path, tenant }) => Router.json(tenant.get("tokens", path["principal"] ?? "") ?? null)
}
