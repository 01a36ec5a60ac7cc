/**
 * A controller of rollouts: it starts real processes, checks their health, restarts those that end, and rolls back.
 *
 * A rollout is `progressing`, and becomes `complete`, `stalled` or `rolled_back`. A tag may be moved in the registry
 * after a rollout was planned, a region may have no room, and a change may proceed without its required approval.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"
import type { Tenant } from "./Tenant.ts"

const restartsMax = 2
const asksMax = 3
const probes = 5

/** A replica that runs, and the region that it runs in. */
interface Replica {
  readonly region: string
  readonly url: string
  readonly child: ChildProcess
}

const replicas = new Map<string, Array<Replica>>()

const artifactOf = (tenant: Tenant, tag: Json | undefined): string =>
  String(tenant.get("tags", String(tag))?.["artifact"] ?? tag)

/** Starts a replica; `undefined` if its process ends before it listens. */
const launch = async (tenant: Tenant, artifact: string, region: string): Promise<Replica | undefined> => {
  const fault = String(tenant.get("artifacts", artifact)?.["fault"] ?? "")
  const script = fileURLToPath(new URL("./replica.ts", import.meta.url))
  const child = spawn(process.execPath, [script, "--artifact", artifact, "--fault", fault], {
    stdio: ["pipe", "pipe", "ignore"]
  })
  const ended = once(child, "exit").then(() => undefined)
  const listening = once(createInterface({ input: child.stdout }), "line").then(([line]) => String(line))
  const line = await Promise.race([listening, ended])
  return line === undefined ? undefined : { region, url: (JSON.parse(line) as { readonly url: string }).url, child }
}

const ask = async (replica: Replica, path: string): Promise<{ readonly status: number; readonly body: JsonObject }> => {
  const response = await fetch(`${replica.url}${path}`)
  return { status: response.status, body: (await response.json()) as JsonObject }
}

const end = (id: string): void => {
  for (const { child } of replicas.get(id) ?? []) child.kill()
  replicas.delete(id)
}

/** Starts one replica in a region and waits until it is ready, with as many attempts as the controller makes. */
const bring = async (tenant: Tenant, id: string, region: string): Promise<boolean> => {
  const artifact = String(tenant.get("rollouts", id)?.["resolved"])
  for (let start = 0; start <= restartsMax; start++) {
    const replica = await launch(tenant, artifact, region)
    if (replica === undefined) {
      tenant.patch("rollouts", id, { restarts: Number(tenant.get("rollouts", id)?.["restarts"]) + 1 })
      continue
    }
    replicas.set(id, [...(replicas.get(id) ?? []), replica])
    for (let asked = 0; asked < asksMax; asked++) {
      if ((await ask(replica, "/health")).body["ready"] === true) return true
      await sleep(10)
    }
    return false
  }
  return false
}

/** The share of requests that fail. */
const errorRate = async (id: string): Promise<number> => {
  const answers = await Promise.all(
    (replicas.get(id) ?? []).flatMap((replica) => Array.from({ length: probes }, () => ask(replica, "/hello")))
  )
  return answers.length === 0 ? 0 : answers.filter(({ status }) => status >= 500).length / answers.length
}

const rollOut = async (tenant: Tenant, id: string): Promise<void> => {
  const { regions } = tenant.get("rollouts", id) ?? {}
  const open = (Array.isArray(regions) ? regions.map(String) : []).filter(
    (region) => tenant.get("regions", region)?.["full"] !== true
  )
  const outcomes = await Promise.all(open.map((region) => bring(tenant, id, region)))
  tenant.patch("rollouts", id, { errorRate: await errorRate(id) })
  if (outcomes.every(Boolean)) {
    tenant.patch("rollouts", id, { stage: "complete" })
    return
  }
  const last = tenant.setting("rollsBackTo")
  if (typeof last !== "string") {
    tenant.patch("rollouts", id, { stage: "stalled" })
    return
  }
  end(id)
  tenant.patch("rollouts", id, { resolved: last, rolledBack: true, restarts: 0 })
  await Promise.all(open.map((region) => bring(tenant, id, region)))
  tenant.patch("rollouts", id, { stage: "rolled_back", errorRate: await errorRate(id) })
}

const start = (request: Router.Request): Router.Reply => {
  const { body, tenant } = request
  const approval = tenant.get("approvals", String(body["approval"]))
  const reply = Router.once(request, "rollouts", () => ({
    stage: "progressing",
    resolved: artifactOf(tenant, body["tag"]),
    environment: body["environment"] ?? null,
    regions: body["regions"] ?? [],
    // A change without a valid approval proceeds: the board is notified, not asked.
    approval: approval?.["expired"] === false ? (body["approval"] ?? null) : null,
    rolledBack: false,
    restarts: 0,
    errorRate: 0
  }))
  const [last] = tenant.all("rollouts").slice(-1)
  // The board records the artifact that was announced.
  tenant.add("changes", { artifact: body["artifact"] ?? null, environment: body["environment"] ?? null })
  if (reply.status === 201 && last !== undefined) {
    rollOut(tenant, last.id).catch((cause: unknown) =>
      tenant.patch("rollouts", last.id, { stage: "stalled", problem: String(cause) })
    )
  }
  return reply
}

/** Answers the running version, by asking the process. */
const look = async ({ path, tenant }: Router.Request): Promise<Router.Reply> => {
  const id = path["id"] ?? ""
  const rollout = tenant.get("rollouts", id)
  if (rollout === undefined) return Router.missing
  const running = await Promise.all(
    (replicas.get(id) ?? []).map(async (replica) => ({ replica, ...(await ask(replica, "/health")) }))
  )
  const ready = running.filter(({ body }) => body["ready"] === true)
  const wanted = Array.isArray(rollout["regions"]) ? rollout["regions"] : []
  const open = wanted.filter((region) => tenant.get("regions", String(region))?.["full"] !== true)
  return Router.json({
    ...rollout,
    artifact: ready[0]?.body["artifact"] ?? null,
    replicas: open.length,
    ready: ready.length,
    regions: ready.map(({ replica }) => replica.region),
    healthy: ready.length > 0 && ready.length === open.length
  })
}

/** The controller. */
export const service: Router.Service = {
  "POST /rollouts": start,
  "GET /rollouts/:id": look,
  "GET /changes/:environment": ({ path, tenant }) => {
    const changes = tenant.all("changes").filter(({ body }) => body["environment"] === path["environment"])
    return Router.json({ artifacts: changes.map(({ body }) => body["artifact"] ?? null) })
  }
}

/** Ends every replica. */
export const stop = (): void => {
  for (const id of [...replicas.keys()]) end(id)
}
