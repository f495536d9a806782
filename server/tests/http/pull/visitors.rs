//! Downloads on visitors' requests: `/api/pull`.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use protocol::{Pull, PullProblem, PullReport, PullStage, said::Said};
use serde_json::json;
use server::{catalog::Source, library::Library, pull::api::Pulls};

use super::{
    Model, Target,
    docker::Registry,
    fake::{Fake, Fault},
};
use crate::Server;

/// A server that downloads into a store, also from these registries.
fn server(target: &Target, registries: &[&str]) -> Server {
    let registries = registries.iter().map(|&it| it.to_owned()).collect();
    let pulls = Pulls::into(target.puller(), target.path().into(), registries);
    Server::with_pulls([127, 0, 0, 1], &[], vec![Source::Ollama(target.path().into())], pulls)
}

/// The status of an answer, and its text.
async fn post(server: &Server, kind: &str, body: String) -> (StatusCode, String) {
    let request =
        Request::post("/api/pull").header(header::HOST, "localhost").header(header::CONTENT_TYPE, kind);
    let answer = server.send(request.body(Body::from(body)).expect("a request")).await;
    let status = answer.status();
    let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.expect("a whole body");
    (status, String::from_utf8(body.into()).expect("text"))
}

async fn begin(server: &Server, name: &str) -> (StatusCode, String) {
    post(server, "application/json", json!({ "name": name }).to_string()).await
}

/// The code of a refusal.
fn problem(told: &str) -> Option<PullProblem> {
    serde_json::from_str::<Said<PullProblem>>(told).expect("a refusal").code
}

async fn report(server: &Server) -> PullReport {
    serde_json::from_slice(&server.get("/api/pull").await.body).expect("a report")
}

async fn stage(server: &Server) -> PullStage {
    report(server).await.pull.expect("a download").stage
}

/// Waits for the end of the download.
async fn end(server: &Server) -> PullStage {
    loop {
        let stage = stage(server).await;
        if stage.is_over() {
            return stage;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_download_is_watched_stopped_and_continued() {
    let model = Model::tiny();
    let (fake, name) = Fake::with(&model).await;
    let target = Target::new();
    let server = server(&target, &[&fake.address]);
    let before = report(&server).await;
    assert!(
        before.offered && before.free.is_some_and(|free| free > 0) && before.pull.is_none(),
        "{before:?}"
    );

    fake.fail(model.content(), [Fault::Stall(2_000_000)]);
    let (status, told) = begin(&server, &name).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    let told: PullReport = serde_json::from_str(&told).expect("a report");
    let Pull { id: first, name: told, stage: first_stage } = told.pull.expect("a download");
    assert_eq!((told, first_stage), (format!("{name}:latest"), PullStage::Asking));
    let (status, told) = begin(&server, "gemma4:e2b").await;
    assert_eq!(
        (status, problem(&told)),
        (StatusCode::CONFLICT, Some(PullProblem::Busy { model: format!("{name}:latest") }))
    );
    let bytes = model.blobs().map(|content| content.len() as u64).sum::<u64>();
    loop {
        match stage(&server).await {
            PullStage::Running { done, total, waiting: None } if done >= 1_000_000 => {
                assert!(done < bytes && total == bytes, "{done} of {total}");
                break;
            }
            stage => assert!(!stage.is_over(), "{stage:?}"),
        }
        tokio::task::yield_now().await;
    }

    let stopped = server.ask("DELETE", "/api/pull", &[]).await;
    let stopped: PullReport = serde_json::from_slice(&stopped.body).expect("a report");
    assert_eq!(stopped.pull.expect("a download").stage, PullStage::Stopped);
    assert_eq!(target.listed().await, Vec::<String>::new());

    assert_eq!(begin(&server, &name).await.0, StatusCode::ACCEPTED);
    assert_eq!(end(&server).await, PullStage::Done);
    assert_ne!(report(&server).await.pull.expect("a download").id, first);
    target.assert_has(&name, &model);
    assert!(server.get("/api/models").await.text().contains("tiny"));
    // The second download went on where the first had ended.
    let ranges = fake.ranges(model.content());
    assert!(matches!(&ranges[..], [None, Some(_)]), "{ranges:?}");
}

#[tokio::test]
async fn a_model_is_listed_as_soon_as_it_is_there() {
    let (fake, name) = Fake::with(&Model::tiny()).await;
    let target = Target::new();
    let pulls = Pulls::into(target.puller(), target.path().into(), vec![fake.address.clone()]);
    // One list answers for as long as the test runs.
    let library = Library::with_recent(vec![Source::Ollama(target.path().into())], Duration::MAX);
    let server = Server::over(Arc::new(library), [127, 0, 0, 1], &[], pulls);
    assert!(!server.get("/api/models").await.text().contains("tiny"));
    assert_eq!(begin(&server, &name).await.0, StatusCode::ACCEPTED);
    assert_eq!(end(&server).await, PullStage::Done);
    assert!(server.get("/api/models").await.text().contains("tiny"));
}

#[tokio::test]
async fn a_model_comes_from_a_real_registry() {
    let (registry, model) = (Registry::start(), Model::tiny());
    registry.push(&model).await;
    let target = Target::new();
    let server = server(&target, &[&registry.address]);
    let name = format!("{}/library/tiny", registry.address);
    assert_eq!(begin(&server, &name).await.0, StatusCode::ACCEPTED);
    assert_eq!(end(&server).await, PullStage::Done);
    target.assert_has(&name, &model);
}

#[tokio::test]
async fn what_goes_wrong_is_told_and_another_download_may_begin() {
    let (fake, name) = Fake::with(&Model::tiny()).await;
    let target = Target::new();
    let server = server(&target, &[&fake.address]);
    assert_eq!(begin(&server, &format!("{}/library/none", fake.address)).await.0, StatusCode::ACCEPTED);
    let PullStage::Failed(reason) = end(&server).await else { panic!("there is no such model") };
    assert!(reason.english.starts_with("There is no model"), "{reason:?}");
    let model = format!("{}/library/none:latest", fake.address);
    assert_eq!(reason.code, Some(PullProblem::NoSuchModel { model, host: fake.address.clone() }));
    assert_eq!(begin(&server, &name).await.0, StatusCode::ACCEPTED);
    assert_eq!(end(&server).await, PullStage::Done);
}

#[tokio::test]
async fn what_a_proxy_on_this_machine_passes_on_comes_from_anywhere() {
    let target = Target::new();
    let pulls = Pulls::into(target.puller(), target.path().into(), Vec::new());
    let closed = Server::with_pulls([127, 0, 0, 1], &[], Vec::new(), pulls.clone());
    let open = Server::with_pulls([127, 0, 0, 1], &[], Vec::new(), pulls.forwarded(true));
    // Some say so. Others only name the server in place of themselves, where browsers name the page that asks.
    for header in [
        ("origin", "https://chat.example.org"),
        ("x-forwarded-for", "192.0.2.7"),
        ("X-Forwarded-Host", "chat.example.org"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-server", "proxy"),
        ("x-forwarded-port", "443"),
        ("x-forwarded-prefix", "/"),
        ("x-forwarded-anything", ""),
        ("x-original-forwarded-for", "192.0.2.7"),
        ("x-original-host", "chat.example.org"),
        ("forwarded", "for=192.0.2.7"),
        ("via", "1.1 proxy"),
        ("x-real-ip", "192.0.2.7"),
        ("x-client-ip", "192.0.2.7"),
        ("client-ip", "192.0.2.7"),
        ("true-client-ip", "192.0.2.7"),
        ("x-cluster-client-ip", "192.0.2.7"),
        ("fly-client-ip", "192.0.2.7"),
        ("fastly-client-ip", "192.0.2.7"),
        ("cf-connecting-ip", "192.0.2.7"),
        ("CF-Ray", "1"),
        ("cdn-loop", "cloudflare"),
        ("x-envoy-external-address", "192.0.2.7"),
        ("x-azure-clientip", "192.0.2.7"),
        ("x-appengine-user-ip", "192.0.2.7"),
        ("x-amzn-trace-id", "1"),
        ("tailscale-user-login", "ada@example.org"),
    ] {
        for method in ["GET", "DELETE"] {
            for (server, is_offered) in [(&closed, false), (&open, true)] {
                let told = server.ask(method, "/api/pull", &[header]).await;
                let told: PullReport = serde_json::from_slice(&told.body).expect("a report");
                assert_eq!(told.offered, is_offered, "{method} {header:?}");
                assert!(is_offered || told == PullReport::default(), "{told:?}");
            }
        }
        let json = ("content-type", "application/json");
        assert_eq!(closed.ask("POST", "/api/pull", &[header, json]).await.status, StatusCode::FORBIDDEN);
        // There, it is looked at.
        assert_eq!(open.ask("POST", "/api/pull", &[header, json]).await.status, StatusCode::BAD_REQUEST);
    }
    let own = [("origin", "http://localhost:3000")];
    let told = closed.ask("DELETE", "/api/pull", &own).await;
    assert!(serde_json::from_slice::<PullReport>(&told.body).expect("a report").offered);
}

#[tokio::test]
async fn only_what_is_offered_can_be_asked_for() {
    let target = Target::new();
    let ours = server(&target, &[]);
    let (status, told) = begin(&ours, "127.0.0.1:5000/library/tiny").await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(told.contains("with --pull-from 127.0.0.1:5000 to allow it."), "{told}");
    assert_eq!(problem(&told), Some(PullProblem::Registry { host: "127.0.0.1:5000".into() }));
    for (name, code) in [
        ("../etc", PullProblem::Name),
        ("hf.co/m", PullProblem::NoOwner { host: "hf.co".into() }),
        ("http://h/n/m", PullProblem::PlainHttp),
    ] {
        let (status, told) = begin(&ours, name).await;
        assert_eq!((status, problem(&told)), (StatusCode::BAD_REQUEST, Some(code)));
    }
    // Pages of other origins can send this, and nothing else, without being asked whether they may.
    let body = json!({ "name": "gemma4:e2b" }).to_string();
    let (status, told) = post(&ours, "text/plain", body).await;
    assert_eq!((status, problem(&told)), (StatusCode::UNSUPPORTED_MEDIA_TYPE, None));
    assert_eq!(ours.ask("OPTIONS", "/api/pull", &[]).await.header("access-control-allow-origin"), "");
    let (status, told) = begin(&ours, &"m".repeat(10_000)).await;
    assert_eq!((status, problem(&told)), (StatusCode::PAYLOAD_TOO_LARGE, Some(PullProblem::Name)));
    assert_eq!(report(&ours).await.pull, None);

    let none = Server::new(Vec::new());
    assert_eq!(report(&none).await, PullReport::default());
    let (status, told) = begin(&none, "gemma4:e2b").await;
    assert_eq!((status, problem(&told)), (StatusCode::FORBIDDEN, Some(PullProblem::NotOffered)));
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let target = Target::new();
    let server = server(&target, &[]);
    let json = ("content-type", "application/json");
    for method in ["POST", "DELETE"] {
        let ask = async |sites: &[&str]| {
            let sites: Vec<_> = sites.iter().map(|site| ("sec-fetch-site", *site)).chain([json]).collect();
            server.ask(method, "/api/pull", &sites).await.status
        };
        let own = if method == "POST" { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        // Whoever is no browser doesn't say.
        for sites in [&[][..], &["same-origin"], &["none"]] {
            assert_eq!(ask(sites).await, own, "{method} {sites:?}");
        }
        for sites in
            [&["cross-site"][..], &["same-site"], &["same-origin", "cross-site"], &["Same-Site"], &[""]]
        {
            assert_eq!(ask(sites).await, StatusCode::FORBIDDEN, "{method} {sites:?}");
        }
    }
    assert_eq!(
        server.ask("GET", "/api/pull", &[("sec-fetch-site", "cross-site")]).await.status,
        StatusCode::OK
    );
}
