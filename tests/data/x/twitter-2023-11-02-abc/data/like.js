window.YTD.like.part0 = [
  {
    "like": {
      "tweetId": "5",
      "fullText": "nice",
      "expandedUrl": "https://twitter.com/i/web/status/5"
    }
  }
]
