Feature: Several files of one visit
  One capture can make several files of a page: it is visited once, and charged once.

  Scenario: Each file of a capture is fetched by its name
    When I POST to "/v1/capture":
      """
      {
        "url": "{site}/bands.html",
        "outputs": [
          { "name": "desktop", "full_page": true },
          { "name": "small", "format": "webp", "viewport_width": 400, "viewport_height": 300 },
          { "name": "print", "format": "pdf" }
        ]
      }
      """
    Then the answer is 200
    And it has 3 "files"
    Given I remember its "id" as "capture"
    When I GET "/v1/captures/{capture}/files/desktop"
    Then the answer is 200 and a PNG of 1280 x 2000 pixels
    When I GET "/v1/captures/{capture}/files/small"
    Then the answer is 200 and a WEBP of 400 x 300 pixels
    When I GET "/v1/captures/{capture}/files/print"
    Then it is a PDF
    When I GET "/v1/captures/{capture}/files/phone"
    Then the answer is 404 "not_found"
    And its "detail" contains "desktop, small, print"
    When I GET "/v1/usage"
    Then it says:
      | used | 1 |
