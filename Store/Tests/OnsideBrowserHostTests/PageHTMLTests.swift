import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OnsideKit
import Testing

@testable import OnsideBrowserHost

@Suite("Pages that dev serves", .timeLimit(.minutes(5)))
struct PageHTMLTests {
  @Test(
    "The tag stands before every script of a page, and after nothing but what may stand before its head",
    arguments: [
      ("<!doctype html><html><head><title>A</title>", "<!doctype html><html><head>|<title>A</title>"),
      ("<!-- a <head> --><!DOCTYPE html><HEAD a='b>c'><p>", "<!-- a <head> --><!DOCTYPE html><HEAD a='b>c'>|<p>"),
      ("<!--><head><p>", "<!--><head>|<p>"), ("<!-- <head> --!> <head>", "<!-- <head> --!> <head>|"),
      ("<!doctype html>\n<html lang=it's>\n<head >\n<p>", "<!doctype html>\n<html lang=it's>\n<head >|\n<p>"),
      ("<!doctype html><header><script>a('<head>')</script>", "<!doctype html>|<header><script>a('<head>')</script>"),
      ("<script>let a</script><head>", "|<script>let a</script><head>"), ("", "|"),
      ("<!-- open <head>", "<!-- open <head>|"), ("<html><body><p>", "<html>|<body><p>"),
      ("<?xml version='1.0'?><html><head/>", "<?xml version='1.0'?><html><head/>|"),
      ("\u{FEFF}<p>", "\u{FEFF}|<p>"), ("<heading>", "|<heading>"),
    ])
  func place(page: String, marked: String) {
    let html = PageHTML(Data(page.utf8), tag: "|")
    #expect(String(decoding: html.bytes, as: UTF8.self) == marked)
    #expect(html.contentType == "text/html; charset=utf-8")
  }

  @Test("A page in another encoding has the tag, and keeps its encoding; one in UTF-16 becomes UTF-8")
  func encodings() throws {
    let text = "<head><meta charset=iso-8859-1><p>caf\u{E9}"
    let latin = try #require(text.data(using: .isoLatin1))
    let html = PageHTML(latin, tag: "|")
    #expect(html.contentType == "text/html")
    #expect(html.bytes == Array("<head>|".utf8) + Array(latin.dropFirst(6)))
    let wide = PageHTML(Data([0xFF, 0xFE]) + (try #require("<head>\u{E9}".data(using: .utf16LittleEndian))), tag: "|")
    #expect(wide.contentType == "text/html; charset=utf-8")
    #expect(String(decoding: wide.bytes, as: UTF8.self).hasSuffix("<head>|\u{E9}"))
  }

  @Test("Paths with control characters are refused, localhost leads to the page, and a missing icon is no error")
  @MainActor
  func served() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-pages-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("<head>caf\u{E9}".utf8).write(to: folder.appending(path: "index.html"))
    try #require("<head>caf\u{E9}".data(using: .isoLatin1)).write(to: folder.appending(path: "latin.htm"))
    try await Stage.run(.folder(folder)) { stage in
      func status(_ path: String) async throws -> UInt {
        try await PageRequest(path: path, query: "").send(to: stage.base).status.code
      }
      let actualStatus = try await status("index.html%00.png")
      #expect(actualStatus == 400)
      let secondStatus = try await status("%0a")
      #expect(secondStatus == 400)
      let thirdStatus = try await status("none.html")
      #expect(thirdStatus == 404)
      let fourthStatus = try await status("favicon.ico")
      #expect(fourthStatus == 204)
      try Data("icon".utf8).write(to: folder.appending(path: "favicon.ico"))
      let fifthStatus = try await status("favicon.ico")
      #expect(fifthStatus == 200)
      for (path, type) in [("", "text/html; charset=utf-8"), ("latin.htm", "text/html")] {
        let page = try await PageRequest(path: path, query: "").send(to: stage.base)
        #expect(page.headers["Content-Type"] == [type])
        let body = try await page.body.collect(upTo: 10_000)
        #expect(String(buffer: body).contains("onside.js?token="))
      }
      let port = try #require(stage.address.page.port)
      var request = PageRequest(path: "shop/index.html", query: "a=b")
      request.host = "localhost:\(port)"
      let response = try await request.send(to: stage.base)
      #expect(response.status == .temporaryRedirect)
      #expect(response.headers["Location"].first?.hasPrefix("\(stage.base)/shop/index.html?a=b") == true)
    }
  }
}
