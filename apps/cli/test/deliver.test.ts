import { createHmac } from "node:crypto"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const secret = "a secret of the shop"
const agent = shell.path("agent.ts")

beforeAll(() => {
  copyFileSync(fixture("agent.ts"), agent)
  const webhook =
    "webhook: { secret: SHOP_SECRET, tolerance: none, key: body.key, done: \"body.status == 'ordered'\", " +
    "output: \"{'item': body.item, 'price': body.price}\" }"
  const pack = readFileSync(fixture("pack.yaml"), "utf8").replace("status: by_key", `status: by_key\n    ${webhook}`)
  writeFileSync(shell.path("pack.yaml"), pack)
})

const signed = (body: string, by = secret): string => `sha256=${createHmac("sha256", by).update(body).digest("hex")}`

/** A run whose order of milk was made, whose answer got lost, and which nobody can be asked about. */
const lost = async (name: string) => {
  const env = { SHOP: shell.path(`${name}.json`) }
  await shell.run(["run", name, "--agent", agent, "--store", `${name}.db`], { ...env, LOST: "milk" })
  const [key = ""] = Object.keys(JSON.parse(readFileSync(env.SHOP, "utf8")))
  const body = JSON.stringify({ key, status: "ordered", item: "milk", price: 30 })
  writeFileSync(shell.path(`${name}.body`), body)
  const deliver = (args: ReadonlyArray<string>, more: Record<string, string> = {}) =>
    shell.run(["deliver", ...args, "--agent", agent, "--store", `${name}.db`, "--json"], { ...env, ...more })
  return { body, deliver, env, file: `${name}.body`, key }
}

describe("backstitch deliver", () => {
  it("settles a waiting action once the record shows it, and answers a duplicate from the record", async () => {
    const { body, deliver, file } = await lost("once")
    const given = [file, "--signature", signed(body)]
    const first = await deliver(given, { SHOP_SECRET: secret })
    assert.deepInclude(JSON.parse(first.out), { run: "once", tool: "order", verdict: "settled", ok: true })
    const again = await deliver(given, { SHOP_SECRET: secret })
    assert.deepInclude(JSON.parse(again.out), { verdict: "replayed", action: "a5", committed: [] })
    assert.deepStrictEqual([first.code, again.code], [0, 0])
    const { out } = await shell.run(["show", "once", "--store", "once.db"])
    assert.match(out, /action\.result +order +ok \(webhook\)/)
    const proven = await shell.run(["verify", "once", "--redecide", "--store", "once.db"])
    assert.strictEqual(proven.code, 0, proven.out)
  }, 120_000)

  it("takes the body from stdin, and the secret from a file, and prints the secret nowhere", async () => {
    const { body, env } = await lost("piped")
    writeFileSync(shell.path("headers"), `POST /order HTTP/1.1\r\nX-Hub-Signature-256: ${signed(body)}\r\n`)
    writeFileSync(shell.path("secret.txt"), `${secret}\n`)
    const args = ["deliver", "-", "--agent", agent, "--store", "piped.db", "--headers", "headers"]
    const { ended } = await shell.start([...args, "--secret-file", "secret.txt"], { env, input: body })
    const { code, err, out } = await ended
    assert.strictEqual(code, 0, err)
    assert.match(out, /DELIVERED: run=piped \| order \| settled/)
    const forged = ["deliver", "headers", ...args.slice(2), "--secret-file", "secret.txt"]
    const other = await shell.run(forged, env)
    assert.strictEqual(other.code, 1)
    assert.match(other.out, /^NOT TAKEN: .*order.* \| refused$/m)
    for (const text of [out, err, readFileSync(shell.path("piped.db"), "latin1")]) assert.notInclude(text, secret)
  }, 120_000)

  it("refuses a body with another signature, and one about no known key, and commits nothing of either", async () => {
    const { body, deliver, file } = await lost("forged")
    const forged = await deliver([file, "--signature", signed(body, "a guess")], { SHOP_SECRET: secret })
    const { code, committed, verdict, why } = JSON.parse(forged.out)
    assert.deepStrictEqual([forged.code, verdict, code], [1, "refused", "delivery.not_genuine"])
    assert.deepStrictEqual(committed, [])
    assert.include(why, "a body that the provider signed")
    const unknown = JSON.stringify({ ...JSON.parse(body), key: "bs_nobody" })
    writeFileSync(shell.path("unknown"), unknown)
    const nobody = await deliver(["unknown", "--signature", signed(unknown)], { SHOP_SECRET: secret })
    assert.strictEqual(nobody.code, 1)
    assert.include(JSON.parse(nobody.out).why, "no run has begun an action of order under the key")
    const named = await deliver(["unknown", "--run", "forged", "--signature", signed(unknown)], { SHOP_SECRET: secret })
    assert.include(JSON.parse(named.out).why, "expected the key of an action of this run")
    const underway = JSON.stringify({ ...JSON.parse(body), status: "packing" })
    writeFileSync(shell.path("underway"), underway)
    const pending = await deliver(["underway", "--signature", signed(underway)], { SHOP_SECRET: secret })
    assert.deepInclude(JSON.parse(pending.out), { verdict: "nothing_new", action: "a5", ok: true, committed: [] })
    assert.match(JSON.parse(pending.out).next[0].command, /^backstitch resume \S+ --agent FILE --store forged\.db$/)
  }, 120_000)

  it("names the missing part: the secret, the signature, the tool, the file, the webhook", async () => {
    const { body, deliver, file } = await lost("missing")
    const given = ["--signature", signed(body)]
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [[file, ...given], "set SHOP_SECRET to the secret of its provider\n`--secret-file` names a file with it"],
      [[file, ...given, "--secret-file", "nowhere"], "The secret nowhere cannot be read"],
      [[file], "as it came with --signature, or its headers with --headers"],
      [[file, "--headers", file], "has no header x-signature"],
      [[file, ...given, "--tool", "search"], 'has no webhook of a tool "search". order has one'],
      [["nowhere", ...given], "The body nowhere cannot be read"],
      [[...given], "Name the file of the body, - for stdin, or a port with --serve"],
      [["--serve", "70000"], "--serve has to be from 0 to 65535"]
    ]
    for (const [args, says] of cases) {
      const { code, err } = await deliver(args)
      assert.strictEqual(code, 2, err)
      assert.include(err, says)
    }
  }, 120_000)
})

/** A provider of each form: its secret, and the headers of a delivery of a body that it sent at a second. */
const providers = {
  github: {
    secret: "It's a secret of the forge",
    headers: (body: string) => ({
      "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "X-Hub-Signature-256": signed(body, "It's a secret of the forge")
    })
  },
  stripe: {
    secret: "whsec_of_the_payments",
    headers: (body: string, at: number) => ({
      "Stripe-Signature": `t=${at},v1=${createHmac("sha256", "whsec_of_the_payments").update(`${at}.${body}`).digest("hex")}`
    })
  },
  standard_webhooks: {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    headers: (body: string, at: number) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${createHmac("sha256", Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64"))
        .update(`msg_1.${at}.${body}`)
        .digest("base64")}`
    })
  }
} as const

describe("backstitch deliver in the form of a provider", () => {
  it.each(["github", "stripe", "standard_webhooks"] as const)(
    "takes what %s signs, refuses what is old or changed, and counts a replay once",
    async (form) => {
      const { headers, secret: ours } = providers[form]
      const agentOf = shell.path(`${form}.ts`)
      writeFileSync(agentOf, readFileSync(agent, "utf8").replaceAll("pack.yaml", `${form}.yaml`))
      const pack = readFileSync(shell.path("pack.yaml"), "utf8")
      const sent = form === "github" ? ", sent: body.at," : ","
      const formed = pack.replace("tolerance: none,", "").replace("webhook: {", `webhook: { form: ${form}${sent}`)
      writeFileSync(shell.path(`${form}.yaml`), formed)
      const env = { SHOP: shell.path(`${form}.json`), SHOP_SECRET: ours }
      const store = ["--agent", agentOf, "--store", `${form}.db`]
      await shell.run(["run", form, ...store], { ...env, LOST: "milk" })
      const [key = ""] = Object.keys(JSON.parse(readFileSync(env.SHOP, "utf8")))
      const now = Math.floor(Date.now() / 1000)
      const deliver = async (at: number, change = (body: string) => body) => {
        const body = JSON.stringify({ key, status: "ordered", item: "milk", price: 30, at })
        writeFileSync(shell.path(`${form}.body`), change(body))
        writeFileSync(shell.path(`${form}.headers`), JSON.stringify(headers(body, at)))
        const args = ["deliver", `${form}.body`, "--headers", `${form}.headers`, ...store, "--json"]
        const { code, err, out } = await shell.run(args, env)
        for (const text of [out, err]) assert.notInclude(text, ours)
        return { exit: code, ...JSON.parse(out) }
      }
      const types = (taken: { readonly committed: ReadonlyArray<{ readonly transition_type: string }> }) =>
        taken.committed.map(({ transition_type: type }) => type)
      const old = await deliver(now - 3600)
      assert.deepStrictEqual([old.exit, old.verdict, old.code, types(old)], [1, "refused", "delivery.not_timely", []])
      assert.include(old.why, "a delivery of about now")
      const changed = await deliver(now, (body) => body.replace('"price":30', '"price":31'))
      assert.deepStrictEqual([changed.exit, changed.verdict, types(changed)], [1, "refused", []])
      assert.deepInclude(await deliver(now), { exit: 0, verdict: "settled" })
      assert.deepInclude(await deliver(now), { exit: 0, verdict: "replayed", action: "a5", committed: [] })
      assert.notInclude(readFileSync(shell.path(`${form}.db`), "latin1"), ours)
    },
    120_000
  )

  it("reads several secrets from a file, one a line, and no more than the contract names", async () => {
    const { deliver, file, body } = await lost("rotated")
    writeFileSync(shell.path("two.txt"), `${secret}\nanother\n`)
    const { code, err } = await deliver([file, "--signature", signed(body), "--secret-file", "two.txt"])
    assert.strictEqual(code, 2)
    assert.include(err, "The contract of order names 1 secrets, and 2 were given")
  }, 120_000)
})

describe("backstitch deliver --serve", () => {
  it("receives over HTTP, and answers each delivery by its outcome", async () => {
    const { body, env } = await lost("served")
    const args = ["deliver", "--serve", "0", "--agent", agent, "--store", "served.db"]
    const { child, ended } = await shell.start(args, { env: { ...env, SHOP_SECRET: secret } })
    const address = await new Promise<string>((resolve) => {
      let said = ""
      child.stderr?.on("data", (chunk: Buffer) => {
        said += chunk.toString()
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(said)?.[0]
        if (found !== undefined) resolve(found)
      })
    })
    const post = (path: string, text: string, headers: Record<string, string>) =>
      fetch(`${address}${path}`, { method: "POST", body: text, headers })
    const right = { "X-Signature": signed(body) }
    const statuses = [
      await post("", body, {}),
      await post("order", body, { "X-Signature": signed(body, "a guess") }),
      await post("nothing", body, right),
      await post("order", "{}", { "X-Signature": signed("{}") }),
      await post("order", "x".repeat(1_000_001), right),
      await fetch(address),
      await post("order", body, right),
      await post("", body, right)
    ].map(({ status }) => status)
    const odd = await new Promise((resolve, reject) => {
      const options = { headers: right, method: "POST", path: "//[", port: new URL(address).port }
      request(options, ({ statusCode }) => resolve(statusCode))
        .once("error", reject)
        .end(body)
    })
    assert.strictEqual(odd, 404, "a path that is no address")
    assert.deepStrictEqual(statuses, [401, 401, 404, 404, 413, 405, 200, 200])
    child.kill("SIGTERM")
    const { code, err, out } = await ended
    assert.strictEqual(code, 0, err)
    assert.include(out, "RECEIVED: taken=2 | refused=7")
    for (const text of [out, err]) assert.notInclude(text, secret)
    const { document } = await shell.json("show served --store served.db")
    const types = document.transitions.map(({ transition_type: type }: { transition_type: string }) => type)
    assert.strictEqual(types.filter((type: string) => type === "kernel.anomaly").length, 0)
    assert.strictEqual(types.filter((type: string) => type === "action.reconciled").length, 1)
  }, 120_000)
})
