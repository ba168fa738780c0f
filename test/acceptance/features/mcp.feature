Feature: Tools for language models
  An agent looks at pages with the tools of the service. They have the keys, the limits and the fence of the API.

  Scenario: An agent finds the tools, and sees a page
    Then I am offered the tools "capture, capture_many, compare, get_crawl, get_job, list_captures, list_checks, list_crawls, list_monitors, list_sessions, page_info, read_crawl, read_page, show_slices, usage"
    When I call the tool "capture" with:
      """
      { "url": "{site}/bands.html" }
      """
    Then the tool shows a WEBP of 1280 x 800 pixels
    And the tool says "{site}/bands.html (HTTP 200)"
    When I GET "/v1/captures"
    Then it has 1 "items"

  Scenario: An agent that was misled runs no code and reaches nothing inside the fence
    When I call the tool "capture" with:
      """
      { "url": "{site}/bands.html", "js": "alert(1)" }
      """
    Then the tool refuses and says "js"
    When I call the tool "read_page" with:
      """
      { "url": "{service}/livez" }
      """
    Then the tool refuses and says "target_forbidden"
