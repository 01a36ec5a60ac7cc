/**
 * The routes of the API, as the server has them and each of its workers.
 *
 * They differ in the recognition of the caller: the server has a key or a token for it, and a worker the server's word.
 */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as BranchesHandlers from "./handlers/BranchesHandlers.ts"
import * as DeliveriesHandlers from "./handlers/DeliveriesHandlers.ts"
import * as ExchangeHandlers from "./handlers/ExchangeHandlers.ts"
import * as FeedHandlers from "./handlers/FeedHandlers.ts"
import * as GoalHandlers from "./handlers/GoalHandlers.ts"
import * as HostingHandlers from "./handlers/HostingHandlers.ts"
import * as KeysHandlers from "./handlers/KeysHandlers.ts"
import * as PacksHandlers from "./handlers/PacksHandlers.ts"
import * as PredicatesHandlers from "./handlers/PredicatesHandlers.ts"
import * as RecoveryHandlers from "./handlers/RecoveryHandlers.ts"
import * as ReviewsHandlers from "./handlers/ReviewsHandlers.ts"
import * as RunsHandlers from "./handlers/RunsHandlers.ts"
import * as VersionsHandlers from "./handlers/VersionsHandlers.ts"
import * as WebhooksHandlers from "./handlers/WebhooksHandlers.ts"

/** Layer of the routes. */
export const layer = HttpApiBuilder.layer(BackstitchApi, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide([
    BranchesHandlers.layer,
    DeliveriesHandlers.layer,
    ExchangeHandlers.layer,
    FeedHandlers.layer,
    GoalHandlers.layer,
    HostingHandlers.layer,
    KeysHandlers.layer,
    PacksHandlers.layer,
    PredicatesHandlers.layer,
    RecoveryHandlers.layer,
    ReviewsHandlers.layer,
    RunsHandlers.layer,
    VersionsHandlers.layer,
    WebhooksHandlers.layer
  ])
)
