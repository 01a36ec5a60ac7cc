/**
 * Webhooks as a contract writes them: how a provider's deliveries are recognised (`form`, `secret`, `tolerance`, `id`)
 * and read (`key`, `done`, `failed`, `output`).
 */
import type * as Expression from "@backstitch/expressions/Expression"
import * as Limits from "../../Limits.ts"
import type * as Webhook from "../../webhook/Webhook.ts"
import * as WebhookForm from "../../webhook/WebhookForm.ts"
import type { Node } from "../definitionReader.ts"
import * as Grammar from "../Grammar.ts"
import { boolExpression, duration, expression } from "../language.ts"

/** Names of environment variables: one, or several while a secret is being replaced. */
const secrets: Grammar.Grammar<string | ReadonlyArray<string>, ReadonlyArray<string>> = {
  ...Grammar.textOrTexts,
  read: (node) => {
    const isList = Array.isArray(node.value)
    const names = isList ? node.texts() : [node.required("the name of an environment variable") ?? []].flat()
    if (isList && names.length === 0) {
      node.fail({ found: "no name", expected: "the name of an environment variable, such as PAYMENTS_SECRET" })
    }
    if (names.some((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))) {
      node.fail({
        found: "something that is no name of a variable",
        expected: "the name of an environment variable, such as PAYMENTS_SECRET",
        hint: "The secret itself is written nowhere"
      })
    }
    return names
  }
}

const tolerance: Grammar.Grammar<string, number | "none"> = {
  schema: { anyOf: [duration.schema, { const: "none" }] },
  uses: duration.uses,
  read: (node, names) => (node.value === "none" ? "none" : duration.read(node, names))
}

const delivered = Grammar.object(
  "webhook",
  "The deliveries by which a provider tells the outcome of a request. The secrets are named, and are in the environment.",
  {
    form: Grammar.key("The form of the signature. Default: `hmac`.", Grammar.oneOf(WebhookForm.names)),
    secret: Grammar.key(
      "The environment variable with the secret; two while a secret is being replaced.",
      Grammar.needed(secrets)
    ),
    tolerance: Grammar.key(
      "The time by which a delivery may be older or newer than now; `none` if it has no time.",
      tolerance
    ),
    header: Grammar.key("The header of the signature, for the form `hmac`.", Grammar.text),
    key: Grammar.key("The idempotency key of the request, in `body`.", Grammar.needed(expression)),
    done: Grammar.key("The condition over `body` that the request took effect.", Grammar.needed(boolExpression)),
    failed: Grammar.key(
      "The condition over `body` that it never will. If neither holds, it is under way.",
      boolExpression
    ),
    output: Grammar.key("The answer of the request, in `body`. Default: all of it.", expression),
    sent: Grammar.key("The time at which the provider wrote the delivery, in `body`.", expression),
    id: Grammar.key("The name by which the provider knows the delivery, in `body`.", expression)
  }
)

/** A webhook, whose expressions read only the state and `body`. */
export const webhook: Grammar.Grammar<Grammar.WrittenOf<typeof delivered>, Webhook.Webhook> = {
  ...delivered,
  read: (node, given) => {
    const { actual: _, args: __, observed: ___, ...state } = given
    const names: Expression.Names = { ...state, body: "any" }
    const parts = delivered.read(node, names)
    if (parts === undefined) return undefined
    const {
      done,
      form = "hmac",
      header,
      key,
      secret = [],
      tolerance = Limits.deciding.webhookToleranceMillis,
      ...rest
    } = parts
    refuseForm(node, form)
    if (secret.length === 0 || key === undefined || done === undefined) return undefined
    return {
      form,
      secrets: secret,
      toleranceMillis: tolerance,
      ...(header === undefined ? {} : { header: header.toLowerCase() }),
      key,
      done,
      ...rest
    }
  }
}

/** Refuses parts that the form does not have, or that have no effect with it: the form determines what is signed. */
const refuseForm = (node: Node, form: WebhookForm.WebhookForm): void => {
  const isTimed = form === "stripe" || form === "standard_webhooks"
  if (form !== "hmac" && !node.at("header").isAbsent) {
    node.at("header").fail({ found: `a header of the form ${form}`, expected: "none: the form names its own" })
  }
  if (form === "standard_webhooks" && !node.at("id").isAbsent) {
    node.at("id").fail({ found: `an id of the form ${form}`, expected: "none: webhook-id is signed" })
  }
  const isTimeless = node.at("tolerance").value === "none"
  const isSent = !node.at("sent").isAbsent
  if (isTimeless && (isTimed || isSent)) {
    const time = isSent ? "sent reads" : `the form ${form} signs`
    node.at("tolerance").fail({ found: `no tolerance of the time that ${time}`, expected: "a duration such as 5m" })
  }
  if (!isTimeless && !isTimed && !isSent) {
    node.fail({
      found: `a delivery of the form ${form}, which signs no time`,
      expected: "sent, when the body says that it was written, or tolerance: none",
      hint: "Without a time an old delivery is as good as a new one: its id, or its body, keeps it from counting twice"
    })
  }
}
