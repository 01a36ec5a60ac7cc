/**
 * The endpoints of the API, as the server has them and each of its workers.
 *
 * They differ in the recognition of the caller: the server has a key or a token for it, and a worker the server's word.
 */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as BranchesEndpoints from "./endpoints/BranchesEndpoints.ts"
import * as DeliveriesEndpoints from "./endpoints/DeliveriesEndpoints.ts"
import * as ExchangeEndpoints from "./endpoints/ExchangeEndpoints.ts"
import * as FeedEndpoints from "./endpoints/FeedEndpoints.ts"
import * as GoalEndpoints from "./endpoints/GoalEndpoints.ts"
import * as HostingEndpoints from "./endpoints/HostingEndpoints.ts"
import * as KeysEndpoints from "./endpoints/KeysEndpoints.ts"
import * as PacksEndpoints from "./endpoints/PacksEndpoints.ts"
import * as PredicatesEndpoints from "./endpoints/PredicatesEndpoints.ts"
import * as RecoveryEndpoints from "./endpoints/RecoveryEndpoints.ts"
import * as ReviewsEndpoints from "./endpoints/ReviewsEndpoints.ts"
import * as RunsEndpoints from "./endpoints/RunsEndpoints.ts"
import * as VersionsEndpoints from "./endpoints/VersionsEndpoints.ts"
import * as WebhooksEndpoints from "./endpoints/WebhooksEndpoints.ts"

/** Layer of the endpoints. */
export const layer = HttpApiBuilder.layer(BackstitchApi, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide([
    BranchesEndpoints.layer,
    DeliveriesEndpoints.layer,
    ExchangeEndpoints.layer,
    FeedEndpoints.layer,
    GoalEndpoints.layer,
    HostingEndpoints.layer,
    KeysEndpoints.layer,
    PacksEndpoints.layer,
    PredicatesEndpoints.layer,
    RecoveryEndpoints.layer,
    ReviewsEndpoints.layer,
    RunsEndpoints.layer,
    VersionsEndpoints.layer,
    WebhooksEndpoints.layer
  ])
)
