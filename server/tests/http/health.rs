//! `/healthz`.

use crate::Server;

#[tokio::test]
async fn a_server_is_healthy_until_it_ends() {
    let server = Server::new(Vec::new());
    let answer = server.get("/healthz").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "ok"));
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(server.ask_with("GET", "/healthz", &[("host", "evil.example")]).await.status, 421);

    server.health.shut_down();
    let answer = server.get("/healthz").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (503, "shutting down"));
    assert_eq!(server.get("/favicon.svg").await.status, 200, "who is there is still served");
}
